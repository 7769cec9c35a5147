import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists what operators have done in an app, newest first, with filters. Support sees only its own. A page examines a bounded number of
/// deeds.
package struct SearchDeeds: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let filter: DeedFilter
    let before: String?
    let limit: Int

    package init(_ filter: DeedFilter, before: String?, limit: Int) {
        self.filter = filter
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(_ work: Work) async throws -> BoundedSearch<DeedRecord> {
        let app = work.app.id
        let actor = work.actor
        return try await work.services.database.report { tx in
            try BoundedSearch(after: before, limit: limit, id: \.id) { place, count in
                try DeedQueries.records(of: app, before: place, limit: count, in: tx)
            } where: { deed in
                filter.holds(deed) && DeedRules.maySee(deed, actor)
            }
        }
    }
}

/// Looks through what was done in every app and to the server as a whole, newest first.
package struct SearchServerDeeds: ServerAction {
    package enum Scope: Sendable, Hashable {
        case everything
        /// What concerns no app, such as operators.
        case server
        case app(AppID)
    }

    let scope: Scope
    let filter: DeedFilter
    let before: String?
    let limit: Int

    package init(_ scope: Scope, _ filter: DeedFilter, before: String?, limit: Int) {
        self.scope = scope
        self.filter = filter
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> BoundedSearch<DeedRecord> {
        try await services.database.report { tx in
            try BoundedSearch(after: before, limit: limit, id: \.id) { place, count in
                switch scope {
                case .everything: try DeedQueries.records(before: place, limit: count, in: tx)
                case .server: try DeedQueries.recordsOfServer(target: nil, before: place, limit: count, in: tx)
                case .app(let app): try DeedQueries.records(of: app, before: place, limit: count, in: tx)
                }
            } where: { deed in
                filter.holds(deed)
            }
        }
    }
}

/// Which deeds somebody looks for.
package struct DeedFilter: Sendable, Hashable {
    private let by: String?
    private let action: String?
    private let target: String?
    private let since: Moment?
    private let until: Moment?

    /// - Parameters:
    ///   - by: the operator's name, in small or capital letters.
    ///   - target: a part of the target.
    ///   - until: the moment before which they were done.
    package init(
        by: String? = nil, action: String? = nil, target: String? = nil, since: Moment? = nil, until: Moment? = nil
    ) {
        self.by = by?.typedText.folded
        self.action = action
        self.target = target?.typedText.folded
        self.since = since
        self.until = until
    }

    func holds(_ deed: DeedRecord) -> Bool {
        (by.map { deed.personName.folded == $0 } ?? true) && (action == nil || deed.action == action)
            && (target.map { deed.target.folded.has($0) } ?? true)
            && (since.map { deed.date >= $0 } ?? true) && (until.map { deed.date < $0 } ?? true)
    }
}

/// Lists what was done to operators and to the server as a whole, newest first.
package struct ListServerDeeds: ServerAction {
    /// Only what was done to this target.
    let target: DeedTarget?
    let before: String?
    let limit: Int

    package init(target: DeedTarget? = nil, before: String?, limit: Int) {
        self.target = target
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [DeedRecord] {
        try await services.database.report { tx in
            try DeedQueries.recordsOfServer(target: target?.text, before: before, limit: limit, in: tx)
        }
    }
}

/// What the console needs of a deed that concerns no app.
package struct ReadServerDeed: ServerAction {
    package static let role: OperatorRole? = .viewer

    package enum Question: Sendable {
        /// The state of the target, before a change of it is shown.
        case state(DeedTarget)
        /// The record with this id.
        case record(String)
        /// The record of a page that was sent.
        case sent(String, OperatorID)
        /// The last reasons of a person.
        case reasons(OperatorID)
    }

    package struct Outcome: Sendable {
        package var state = DeedState()
        package var record: DeedRecord?
        package var reasons: [String] = []
    }

    let question: Question

    package init(_ question: Question) {
        self.question = question
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        try await services.database.read { tx in
            switch question {
            case .state(let target): Outcome(state: try DeedRules.state(of: target, app: nil, in: tx))
            case .record(let id):
                Outcome(
                    record: try DeedQueries.find(id, in: tx).flatMap {
                        $0.app == nil && DeedRules.maySee($0, actor) ? $0 : nil
                    })
            case .sent(let once, let person):
                Outcome(record: try DeedQueries.find(once: once, of: person, in: tx))
            case .reasons(let person): Outcome(reasons: try DeedRules.lastReasons(of: person, app: nil, in: tx))
            }
        }
    }
}

import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Lists what operators have done in an app, newest first, with filters. Support sees only its own. A page examines a bounded number of
/// records.
package struct SearchOperatorRecords: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let filter: OperatorRecordFilter
    let before: String?
    let limit: Int

    package init(_ filter: OperatorRecordFilter, before: String?, limit: Int) {
        self.filter = filter
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(_ work: Work) async throws -> BoundedSearch<OperatorRecord> {
        let app = work.app.id
        let actor = work.actor
        return try await work.services.database.report { tx in
            try BoundedSearch(after: before, limit: limit, id: \.id) { place, count in
                try OperatorRecordQueries.records(of: app, before: place, limit: count, in: tx)
            } where: { record in
                filter.holds(record) && OperatorRecordRules.maySee(record, actor)
            }
        }
    }
}

/// Looks through what was done in every app and to the server as a whole, newest first.
package struct SearchServerRecords: ServerAction {
    package enum Scope: Sendable, Hashable {
        case everything
        /// What concerns no app, such as operators.
        case server
        case app(AppID)
    }

    let scope: Scope
    let filter: OperatorRecordFilter
    let before: String?
    let limit: Int

    package init(_ scope: Scope, _ filter: OperatorRecordFilter, before: String?, limit: Int) {
        self.scope = scope
        self.filter = filter
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(
        _ services: Services, by actor: Actor, at moment: Moment
    ) async throws -> BoundedSearch<OperatorRecord> {
        try await services.database.report { tx in
            try BoundedSearch(after: before, limit: limit, id: \.id) { place, count in
                switch scope {
                case .everything: try OperatorRecordQueries.records(before: place, limit: count, in: tx)
                case .server:
                    try OperatorRecordQueries.recordsOfServer(target: nil, before: place, limit: count, in: tx)
                case .app(let app): try OperatorRecordQueries.records(of: app, before: place, limit: count, in: tx)
                }
            } where: { record in
                filter.holds(record)
            }
        }
    }
}

/// Which records somebody looks for.
package struct OperatorRecordFilter: Sendable, Hashable {
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

    func holds(_ record: OperatorRecord) -> Bool {
        (by.map { record.personName.folded == $0 } ?? true) && (action == nil || record.action == action)
            && (target.map { record.target.folded.has($0) } ?? true)
            && (since.map { record.date >= $0 } ?? true) && (until.map { record.date < $0 } ?? true)
    }
}

/// Lists what was done to operators and to the server as a whole, newest first.
package struct ListServerRecords: ServerAction {
    /// Only what was done to this target.
    let target: ActionTarget?
    let before: String?
    let limit: Int

    package init(target: ActionTarget? = nil, before: String?, limit: Int) {
        self.target = target
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [OperatorRecord] {
        try await services.database.report { tx in
            try OperatorRecordQueries.recordsOfServer(target: target?.text, before: before, limit: limit, in: tx)
        }
    }
}

/// What the console needs of a record that concerns no app.
package struct ReadServerRecord: ServerAction {
    package static let role: OperatorRole? = .viewer

    package enum Question: Sendable {
        /// The state of the target, before a change of it is shown.
        case state(ActionTarget)
        /// The record with this id.
        case record(String)
        /// The record of a page that was sent.
        case sent(String, OperatorID)
        /// The last reasons of a person.
        case reasons(OperatorID)
    }

    package struct Outcome: Sendable {
        package var state = TargetState()
        package var record: OperatorRecord?
        package var reasons: [String] = []
    }

    let question: Question

    package init(_ question: Question) {
        self.question = question
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        try await services.database.read { tx in
            switch question {
            case .state(let target): Outcome(state: try OperatorRecordRules.state(of: target, app: nil, in: tx))
            case .record(let id):
                Outcome(
                    record: try OperatorRecordQueries.find(id, in: tx).flatMap {
                        $0.app == nil && OperatorRecordRules.maySee($0, actor) ? $0 : nil
                    })
            case .sent(let once, let person):
                Outcome(record: try OperatorRecordQueries.find(once: once, of: person, in: tx))
            case .reasons(let person):
                Outcome(reasons: try OperatorRecordRules.lastReasons(of: person, app: nil, in: tx))
            }
        }
    }
}

package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Lists what operators have done in an app, newest first, with filters. Support sees only its own. A page examines a bounded number of
/// deeds.
package struct SearchDeeds: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    /// The number of deeds that one page examines.
    private static let bound = 5_000
    private static let step = 500

    /// A part of the operator's name.
    let by: String?
    let action: String?
    /// A part of the target.
    let target: String?
    let before: String?
    let limit: Int

    package init(by: String?, action: String?, target: String?, before: String?, limit: Int) {
        self.by = by?.lowercased()
        self.action = action
        self.target = target?.lowercased()
        self.before = before
        self.limit = max(1, min(limit, 1_000))
    }

    package struct Outcome: Sendable {
        package var deeds: [DeedRecord] = []
        /// Continues after this deed; nil at the end of the list.
        package var next: String?
        /// When the last deed that was examined was done, if the search has stopped at its bound.
        package var stoppedAt: Moment?
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let app = work.app.id
        let own = work.actor.role < .operator ? work.actor.name ?? "" : nil
        return try await work.services.database.report { tx in
            var outcome = Outcome()
            var (place, last, examined) = (before, nil as DeedRecord?, 0)
            while examined < Self.bound {
                let part = try DeedQueries.records(of: app, before: place, limit: Self.step, in: tx)
                for deed in part where holds(deed) && (own == nil || deed.personName == own) {
                    guard outcome.deeds.count < limit else {
                        outcome.next = outcome.deeds.last?.id
                        return outcome
                    }
                    outcome.deeds.append(deed)
                }
                examined += part.count
                guard part.count == Self.step, let end = part.last else { return outcome }
                (place, last) = (end.id, end)
            }
            (outcome.next, outcome.stoppedAt) = (last?.id, last?.date)
            return outcome
        }
    }

    private func holds(_ deed: DeedRecord) -> Bool {
        (by.map { deed.personName.lowercased().contains($0) } ?? true) && (action == nil || deed.action == action)
            && (target.map { deed.target.lowercased().contains($0) } ?? true)
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
    package enum Question: Sendable {
        /// The state of the target, for a confirmation page.
        case state(DeedTarget)
        /// The record with this id.
        case record(String)
        /// The record of a confirmation page that was sent.
        case sent(String, OperatorID)
    }

    package struct Outcome: Sendable {
        package var state = DeedState()
        package var record: DeedRecord?
    }

    let question: Question

    package init(_ question: Question) {
        self.question = question
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        try await services.database.read { tx in
            switch question {
            case .state(let target): Outcome(state: try DeedRules.state(of: target, app: nil, in: tx))
            case .record(let id): Outcome(record: try DeedQueries.find(id, in: tx).flatMap { $0.app == nil ? $0 : nil })
            case .sent(let once, let person):
                Outcome(record: try DeedQueries.find(once: once, of: person, in: tx))
            }
        }
    }
}

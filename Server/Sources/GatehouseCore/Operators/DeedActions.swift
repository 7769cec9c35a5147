package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads the state of a target, before a change of it is shown.
package struct ReadDeedState: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let target: DeedTarget

    package init(target: DeedTarget) {
        self.target = target
    }

    package func perform(_ work: Work) async throws -> DeedState {
        let app = work.app.id
        return try await work.services.database.read { [target] tx in
            try DeedRules.state(of: target, app: app, in: tx)
        }
    }
}

/// Reads one deed of an app; nil if there is no such deed, or if the person may not know whose it is.
package struct ReadDeed: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let id: String

    package init(id: String) {
        self.id = id
    }

    package func perform(_ work: Work) async throws -> DeedRecord? {
        let (app, actor) = (work.app.id, work.actor)
        return try await work.services.database.read { [id] tx in
            try DeedQueries.find(id, in: tx).flatMap { $0.app == app && DeedRules.maySee($0, actor) ? $0 : nil }
        }
    }
}

/// Lists what operators have done in an app, newest first. Below an operator, who has done it is shown of the own deeds only.
package struct ListDeeds: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    /// Only what was done to this target.
    package let target: DeedTarget?
    /// The last row of the page before.
    package let before: String?
    package let limit: Int
    /// Only those of the limit that are one of these actions.
    package let actions: [String]?

    package init(target: DeedTarget? = nil, before: String? = nil, limit: Int) {
        self.target = target
        self.before = before
        self.limit = limit
        actions = nil
    }

    package init(by actions: [String], among limit: Int) {
        (target, before) = (nil, nil)
        self.actions = actions
        self.limit = limit
    }

    package func perform(_ work: Work) async throws -> [DeedRecord] {
        let app = work.app.id
        let count = max(1, min(limit, 1_000))
        let actor = work.actor
        return try await work.services.database.report { [target, before, actions] tx in
            let records =
                if let target {
                    try DeedQueries.records(of: app, target: target.text, limit: count, in: tx)
                } else if let actions {
                    try DeedQueries.records(of: app, by: actions, among: count, in: tx)
                } else {
                    try DeedQueries.records(of: app, before: before, limit: count, in: tx)
                }
            return records.map { DeedRules.shown($0, to: actor) }
        }
    }
}

/// Finds the record of a page that was sent; nil if it was not.
package struct FindDeed: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let once: String
    package let person: OperatorID

    package init(once: String, person: OperatorID) {
        self.once = once
        self.person = person
    }

    package func perform(_ work: Work) async throws -> DeedRecord? {
        try await work.services.database.read { [once, person] tx in
            try DeedQueries.find(once: once, of: person, in: tx)
        }
    }
}

/// Lists the last different reasons that a person has given in an app, newest first.
package struct ListReasons: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package let person: OperatorID

    package init(of person: OperatorID) {
        self.person = person
    }

    package func perform(_ work: Work) async throws -> [String] {
        let app = work.app.id
        return try await work.services.database.read { [person] tx in
            try DeedRules.lastReasons(of: person, app: app, in: tx)
        }
    }
}

extension Actions {
    /// Writes an audit line about an operator who has tried what the role does not permit.
    package func noteRefusedDeed(_ name: String, by person: Operator, in app: AppID?, at address: ClientAddress) {
        services.reporter.audit.record(
            AuditLog.Entry(
                event: "operator.not-permitted", app: app, actor: .operator, address: address.description,
                transactionID: nil, subject: ["by": person.name, "action": name]))
    }

    /// Writes an audit line about a form that another page has sent, or another session (CON-1).
    package func noteForeignForm(by name: String?, at address: ClientAddress) {
        services.reporter.audit.record(
            AuditLog.Entry(
                event: "operator.foreign-form", app: nil, actor: .operator, address: address.description,
                transactionID: nil, subject: name.map { ["by": $0] } ?? [:]))
    }
}

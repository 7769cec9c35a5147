package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Finds the session of a browser's cookie, and notes its use.
package struct ReadOperatorSession: ServerAction {
    let token: OperatorToken
    /// Whether a person does something. A page that renews itself does not count.
    let isUse: Bool

    package init(token: OperatorToken, isUse: Bool = true) {
        self.token = token
        self.isUse = isUse
    }

    package enum Outcome: Sendable {
        case live(OperatorSession)
        /// It has ended by time; its person may sign in again and go on.
        case over(OperatorSession)
        /// There is no such session: it never was, or somebody has ended it.
        case unknown
    }

    /// Use is noted once a minute, so that reading pages writes next to nothing.
    private static let noteSeconds: Int64 = 60

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Outcome {
        let hash = OperatorRules.hash(of: token.text)
        let found = try await services.database.read { tx in
            try OperatorSessionQueries.find(hash, in: tx).flatMap { row in
                try OperatorQueries.find(row.person, in: tx).map { (row: row, person: $0.person) }
            }
        }
        services.outage.noteAnswer()
        guard let (row, person) = found, !person.isDisabled else { return .unknown }
        let session = OperatorRules.session(row, of: person)
        guard OperatorRules.isLive(row, at: moment) else { return .over(session) }
        if isUse, row.usedAt.adding(seconds: Self.noteSeconds) <= moment {
            try await services.database.decide { tx in try OperatorSessionQueries.touch(hash, at: moment, in: tx) }
        }
        return .live(session)
    }
}

/// Lists the sessions of a person that have not ended, newest first.
package struct ListOperatorSessions: ServerAction {
    let id: OperatorID

    package init(id: OperatorID) {
        self.id = id
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [OperatorSession] {
        try await services.database.read { tx in
            guard let person = try OperatorQueries.find(id, in: tx)?.person else { return [] }
            return try OperatorSessionQueries.sessions(of: id, in: tx)
                .filter { OperatorRules.isLive($0, at: moment) }.map { OperatorRules.session($0, of: person) }
        }
    }
}

/// Ends sessions of a person: this one, another, or all others.
package struct EndOperatorSessions: ServerAction {
    package enum Scope: Sendable {
        case one(String)
        case allBut(String)
        case all
    }

    let id: OperatorID
    let scope: Scope

    package init(of id: OperatorID, _ scope: Scope) {
        self.id = id
        self.scope = scope
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        try await services.database.transact { tx in
            switch scope {
            case .one(let session): try OperatorSessionQueries.delete(of: id, only: session, in: tx)
            case .allBut(let session): try OperatorSessionQueries.delete(of: id, but: session, in: tx)
            case .all: try OperatorSessionQueries.delete(of: id, in: tx)
            }
        }
    }
}

/// Sets how the console looks for a person.
package struct SetOperatorPreferences: ServerAction {
    let id: OperatorID
    let preferences: OperatorPreferences

    package init(of id: OperatorID, _ preferences: OperatorPreferences) {
        self.id = id
        self.preferences = preferences
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        try await services.database.transact { tx in try OperatorQueries.set(preferences, of: id, in: tx) }
    }
}

/// Changes a person's own password. All other sessions end.
package struct ChangeOperatorPassword: ServerAction {
    let session: OperatorSession
    let password: String
    let new: String

    package init(session: OperatorSession, password: String, new: String) {
        self.session = session
        self.password = password
        self.new = new
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        let id = session.person.id
        try OperatorRules.requirePassword(new, of: session.person.name, as: "new")
        if let wait = services.operatorAttempts.take(name: session.person.name, address: session.address, at: moment) {
            throw Refusal.tooManyRequests(retryAfterSeconds: wait)
        }
        let found = try await services.database.read { tx in try OperatorQueries.find(id, in: tx) }
        let known = found?.credentials.passwordHash.flatMap { PasswordHash(bytes: $0) }
        let visitor = OperatorVisitor(address: session.address, agent: session.agent)
        let origin = visitor.hashOrigin
        guard try await services.operatorHasher.matches(password, known, for: origin, random: services.random) else {
            throw Refusal.parameter("password", "This is not the present password.")
        }
        let hash = try await services.operatorHasher.hash(new, for: origin, random: services.random)
        try await services.database.transact { [session] tx in
            try OperatorQueries.setPassword(hash.bytes, of: id, in: tx)
            try OperatorSessionQueries.delete(of: id, but: session.id, in: tx)
        }
        services.operatorAttempts.forget(name: session.person.name, address: session.address)
        services.note("operator.password-changed", by: session.person, from: visitor)
    }
}

package struct ListOperators: ServerAction {
    package init() {}

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> [Operator] {
        try await services.database.read { tx in try OperatorQueries.all(in: tx) }
    }
}

/// Whether nobody can sign in yet.
package struct HasNoOperators: ServerAction {
    package init() {}

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Bool {
        try await services.database.read { tx in try OperatorQueries.isEmpty(in: tx) }
    }
}

/// Sets the roles of an operator. The operator's sessions end (CON-10).
package struct GrantOperator: ServerAction {
    let name: String
    let grants: [GrantScope: OperatorRole]

    package init(name: String, grants: [GrantScope: OperatorRole]) {
        self.name = name
        self.grants = grants
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        try actor.requireOther(than: name)
        try await services.changeOperators(by: actor, at: moment) { tx in
            guard let person = try OperatorQueries.find(named: name, in: tx)?.person else {
                throw Refusal.parameter("name", "There is no operator of this name.")
            }
            try OperatorQueries.setGrants(grants, of: person.id, in: tx)
            try OperatorSessionQueries.delete(of: person.id, in: tx)
            try OperatorRules.requireOwner(in: tx)
            return "operator.granted"
        }
    }
}

/// Lets an operator sign in no more, or again. The operator's sessions end (CON-10).
package struct DisableOperator: ServerAction {
    let name: String
    let isDisabled: Bool

    package init(name: String, isDisabled: Bool = true) {
        self.name = name
        self.isDisabled = isDisabled
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        try actor.requireOther(than: name)
        try await services.changeOperators(by: actor, at: moment) { tx in
            guard let person = try OperatorQueries.find(named: name, in: tx)?.person else {
                throw Refusal.parameter("name", "There is no operator of this name.")
            }
            try OperatorQueries.setDisabled(isDisabled, person.id, in: tx)
            try OperatorSessionQueries.delete(of: person.id, in: tx)
            try OperatorRules.requireOwner(in: tx)
            return isDisabled ? "operator.disabled" : "operator.enabled"
        }
    }
}

extension Actor {
    /// An operator of the console can't change the own roles. The command is not asked, because it needs the database's file or password.
    ///
    /// - Throws: 5 for a person of the console who changes the person's own grants.
    fileprivate func requireOther(than name: String) throws {
        guard door != .console || self.name != name else {
            throw Refusal(.userPermission, "Another owner changes your roles, not you.", httpStatus: 403)
        }
    }
}

extension Services {
    /// Changes operators, and records in the audit log what was done.
    func changeOperators(
        by actor: Actor, at moment: Moment, _ body: @escaping @Sendable (Transaction) throws -> String
    ) async throws {
        let random = random
        try await database.transact { tx in
            let event = try DeedRules.recording(actor, app: nil, at: moment, random: random, in: tx) { try body(tx) }
            try AuditRules.append(event, by: actor.origin, at: moment, random: random, in: tx)
        }
    }

    /// Writes an audit line about an operator's sign-in.
    func note(_ event: String, by person: Operator, from visitor: OperatorVisitor) {
        note(event, named: person.name, from: visitor)
    }

    func note(_ event: String, named name: String, from visitor: OperatorVisitor) {
        reporter.audit.record(
            AuditLog.Entry(
                event: event, app: nil, actor: .operator, address: visitor.address, transactionID: nil,
                subject: ["by": String(name.prefix(64))]))
    }
}

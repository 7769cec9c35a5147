import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Finds the session of a browser's cookie, and notes its use.
package struct ReadOperatorSession: ServerAction {
    package static let role: OperatorRole? = nil
    package static let isForVisitors = true

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
    package static let role: OperatorRole? = nil

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
    package static let role: OperatorRole? = nil

    package enum Scope: Sendable {
        case one(String)
        case allBut(String)
        case all

        /// The form in the audit.
        fileprivate var text: String {
            switch self {
            case .one: "one"
            case .allBut: "others"
            case .all: "all"
            }
        }
    }

    let person: Operator
    let scope: Scope
    let visitor: OperatorVisitor

    package init(of person: Operator, _ scope: Scope, from visitor: OperatorVisitor) {
        self.person = person
        self.scope = scope
        self.visitor = visitor
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        try await services.changeOperators(by: person.name, from: visitor, at: moment) { [person, scope] change, tx in
            let id = person.id
            switch scope {
            case .one(let session): try OperatorSessionQueries.delete(of: id, only: session, in: tx)
            case .allBut(let session): try OperatorSessionQueries.delete(of: id, but: session, in: tx)
            case .all: try OperatorSessionQueries.delete(of: id, in: tx)
            }
            try change.record(.sessionsEnded, of: person.name, ["sessions": scope.text], in: tx)
        }
    }
}

/// Sets how the console looks for a person.
package struct SetOperatorPreferences: ServerAction {
    package static let role: OperatorRole? = nil

    let person: Operator
    let preferences: OperatorPreferences
    let visitor: OperatorVisitor

    package init(of person: Operator, _ preferences: OperatorPreferences, from visitor: OperatorVisitor) {
        self.person = person
        self.preferences = preferences
        self.visitor = visitor
    }

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws {
        try await services.changeOperators(by: person.name, from: visitor, at: moment) {
            [person, preferences] change, tx in
            try OperatorQueries.set(preferences, of: person.id, in: tx)
            try change.record(.preferencesSet, of: person.name, in: tx)
        }
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
    package static let role: OperatorRole? = nil
    package static let isForVisitors = true

    package init() {}

    package func perform(_ services: Services, by actor: Actor, at moment: Moment) async throws -> Bool {
        try await services.database.read { tx in try OperatorQueries.isEmpty(in: tx) }
    }
}

extension UseCase where Self == Read<[String]> {
    /// The names of the operators who may see an app, 1,000 at most.
    package static var operatorNames: Self {
        Read { context, tx in try OperatorQueries.names(of: context.app.id, limit: 1_000, in: tx) }
    }
}

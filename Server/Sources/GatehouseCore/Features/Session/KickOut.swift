import GatehouseSecurity
import GatehouseServerWire
package import GatehouseWire

/// Ends the sessions of a member, or of all members. In the console support ends those of one member, and an operator all.
package struct KickOut: Action {
    package static let permission = Permission.serve(.moderate)
    package static let role = OperatorRole.support

    /// Nil for all members.
    let user: UserID?
    /// What the players read, by language.
    let message: [String: String]

    package init(user: UserID?, message: [String: String]) {
        self.user = user
        self.message = message
    }

    package var audited: AuditedRun? { AuditedRun(on: user.map { DeedTarget.member($0) } ?? .app) }

    package func perform(_ work: Work) async throws -> Empty {
        if user == nil { try work.actor.require(Self.permission, as: .operator) }
        return try await work.transactOnce { change, tx in
            try KickOutRules.kickOut(user, message: LocalizedText(message), change, in: tx)
            return Empty()
        }
    }
}

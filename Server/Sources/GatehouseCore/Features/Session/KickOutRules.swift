import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Ends sessions at the request of an operator or a game server (BAN-5).
enum KickOutRules {
    /// Ends the sessions of one member or of all members.
    static func kickOut(
        _ user: UserID?, message: LocalizedText, _ change: Change, in tx: Transaction
    ) throws {
        try change.origin.requireName()
        guard message.texts.count <= 32, message.texts.allSatisfy({ $0.value.utf8.count <= 2_000 }) else {
            throw Refusal.parameter("message", "A message has at most 32 languages and 2000 bytes in each.")
        }
        guard let user else {
            _ = try AppRules.change(change.app.id, in: tx) { app in
                // The clock of the node that made the previous kick-out may be ahead. Sessions that it ended must stay ended.
                app.kickOut = .init(at: max(change.moment, app.kickOut?.at ?? change.moment), message: message)
            }
            return try change.record(.everyoneKickedOut, in: tx)
        }
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard !account.isGone else { throw Refusal(.authNotExistMember) }
        try SessionRules.endAll(of: account, .init(reason: .kickedOut, message: message), change, in: tx)
        try change.record(.kickedOut, of: user, in: tx)
    }
}

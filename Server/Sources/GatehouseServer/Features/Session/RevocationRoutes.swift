import GatehouseStorage
import GatehouseWire

/// The list of revocations, signed with the app's key: it may be handed on, and believed where it arrives.
struct RevocationRoutes: Sendable {
    let database: Database
    let tokenLifetimeSeconds: Int64

    /// How often a game server should ask.
    private static let intervalSeconds = 5

    func list(_ call: Call<RevocationsRequest>) async throws -> Answer<SignedRevocations> {
        if let cursor = call.body.cursor, cursor.utf8.count > 64 {
            throw Refusal.parameter("cursor", "The cursor is the one of the list before.")
        }
        let (list, cursor) = try await database.read { tx in
            try RevocationRules.list(
                since: call.body, tokenLifetimeSeconds: tokenLifetimeSeconds, call.view, in: tx)
        }
        guard let key = call.keys.signing(at: call.moment) else { throw Refusal(.serverInternalError) }
        let text = String(decoding: try JSONWriter.bytes(of: list), as: UTF8.self)
        let token = try CompactJWS.sign(
            header: key.header(type: RevocationList.tokenType), claims: text, with: key.privateKey)
        return Answer(
            SignedRevocations(
                revocations: token, cursor: cursor,
                nextSeconds: list.isComplete ? Self.intervalSeconds : 0))
    }
}

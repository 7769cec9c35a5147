import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// The list of revocations, signed with the app's key, so that it can be forwarded and still be trusted.
struct RevocationRoutes: Sendable {
    let database: Database
    let vault: KeyVault
    let tokenLifetimeSeconds: Int64

    /// How often a game server should ask.
    private static let intervalSeconds = 5

    func list(_ call: Call<RevocationsRequest>) async throws -> Answer<SignedRevocations> {
        if let cursor = call.body.cursor, cursor.utf8.count > 64 {
            throw Refusal.parameter("cursor", "The cursor is the one of the list before.")
        }
        // App, keys and list are read in one transaction, so that a list never contains the key that signed it, and never lacks a
        // revocation from before the request.
        let vault = vault
        let lifetime = tokenLifetimeSeconds
        let ((list, cursor), keys) = try await database.read { tx in
            guard let app = try AppQueries.app(call.app.id, in: tx) else { throw AppRules.unknownApp }
            let view = Viewpoint(app: app, languages: call.view.languages, moment: call.moment)
            let list = try RevocationRules.list(since: call.body, tokenLifetimeSeconds: lifetime, view, in: tx)
            return (
                list, try KeyRules.keys(of: call.app.id, vault: vault, tokenLifetimeSeconds: lifetime, in: tx)
            )
        }
        guard let key = keys.signing(at: call.moment) else { throw Refusal(.serverInternalError) }
        let text = String(decoding: try JSONWriter.bytes(of: list), as: UTF8.self)
        let token = try CompactJWS.sign(
            header: key.header(type: RevocationList.tokenType), claims: text, with: key.privateKey)
        return Answer(
            SignedRevocations(
                revocations: token, cursor: cursor,
                nextSeconds: list.isComplete ? Self.intervalSeconds : 0,
                jwks: KeySet(keys: keys.published(at: call.moment).map(\.published))))
    }
}

import GatehouseJSON
import GatehouseSecurity
package import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// Lists the revocations of access tokens, signed with the app's key, so that the list can be forwarded and still be trusted.
package struct ListRevocations: Action {
    package static let permission = Permission.serve(.check)

    let request: RevocationsRequest

    package init(request: RevocationsRequest) {
        self.request = request
    }

    /// How often a game server should ask.
    private static let intervalSeconds = 5

    package func perform(_ work: Work) async throws -> SignedRevocations {
        if let cursor = request.cursor, cursor.utf8.count > 64 {
            throw Refusal.parameter("cursor", "The cursor is the one of the list before.")
        }
        // App, keys and list are read in one transaction, so that a list never contains the key that signed it, and never lacks a
        // revocation from before the request.
        let vault = work.services.vault
        let lifetime = work.services.issuer.lifetimes.accessTokenSeconds
        let (id, languages, moment) = (work.app.id, work.view.languages, work.moment)
        let ((list, cursor), keys) = try await work.read { tx in
            guard let app = try AppQueries.app(id, in: tx) else { throw AppRules.unknownApp }
            let view = Viewpoint(app: app, languages: languages, moment: moment)
            let list = try RevocationRules.list(since: request, tokenLifetimeSeconds: lifetime, view, in: tx)
            return (list, try KeyRules.keys(of: id, vault: vault, tokenLifetimeSeconds: lifetime, in: tx))
        }
        guard let key = keys.signing(at: moment) else { throw Refusal(.serverInternalError) }
        let text = String(decoding: try JSONWriter.bytes(of: list), as: UTF8.self)
        let token = try CompactJWS.sign(
            header: key.header(type: RevocationList.tokenType), claims: text, with: key.privateKey)
        return SignedRevocations(
            revocations: token, cursor: cursor, nextSeconds: list.isComplete ? Self.intervalSeconds : 0,
            jwks: KeySet(keys: keys.published(at: moment).map(\.published)))
    }
}

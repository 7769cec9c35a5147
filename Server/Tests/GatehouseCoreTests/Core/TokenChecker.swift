import Foundation
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// A game server that checks tokens without asking, with the lists of revocations alone, as docs/game-servers.md describes.
final class TokenChecker {
    let core: TestCore
    var cursor: String?
    var revocations: [Revocation] = []
    var everyoneBefore: Int64?

    init(_ core: TestCore) { self.core = core }

    func poll() async throws {
        var isComplete = false
        while !isComplete {
            let signed = try await core.gameServer([.check]).run(
                ListRevocations(request: RevocationsRequest(cursor: cursor)))
            let list = try Self.list(signed)
            revocations += list.revocations
            everyoneBefore = list.everyoneBefore
            isComplete = list.isComplete
            #expect((signed.nextSeconds == 0) == !isComplete)
            cursor = signed.cursor
        }
    }

    /// What a list says, without a look at its signature.
    static func list(_ signed: SignedRevocations) throws -> RevocationList {
        let parts = signed.revocations.split(separator: ".").map(String.init)
        return try JSONDecoder().decode(RevocationList.self, from: Data(#require(Base64URL.decode(parts[1]))))
    }

    func accepts(_ player: Player) async throws -> Bool { try await accepts(player.login.session.accessToken) }

    func accepts(_ token: AccessToken) async throws -> Bool {
        let claims = try await core.services.tokens.claims(
            of: token, app: TestCore.app, expired: true, at: core.clock.now)
        let issued = claims.issuedAt.milliseconds / 1_000
        if let everyoneBefore, issued < everyoneBefore { return false }
        return !revocations.contains { revocation in
            guard revocation.userId == claims.user else { return false }
            if let session = revocation.sessionId, session != claims.session { return false }
            if let provider = revocation.provider {
                guard provider == claims.provider, issued < revocation.revokedAt else { return false }
            }
            if let generation = revocation.generation { return claims.generation < generation }
            return true
        }
    }
}

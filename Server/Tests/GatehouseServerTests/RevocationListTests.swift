import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The list for game servers that verify signatures themselves, over HTTP.
@Suite struct RevocationListTests {
    @Test("INFO-3: what ends a session shows in the next list by the claims of its tokens, and what goes on does not")
    func list() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let gameServer = GameServer(server)
            try await gameServer.poll()
            #expect(gameServer.revocations.isEmpty)
            let banned = try await server.logIn(.google, "banned")
            let (out, stays) = (try await server.logIn(.google, "out"), try await server.logIn(.google, "out"))
            for player in [banned, out, stays] { #expect(try gameServer.accepts(player)) }
            _ = try await server.run(BanMembers([banned.user], until: nil), reason: "x")
            _ = try await server.logOut(out.device, out.login.session.refreshToken)
            try await gameServer.poll()
            for player in [banned, out] { #expect(try !gameServer.accepts(player)) }
            #expect(try gameServer.accepts(stays))
            try await server.run(KickOut(user: nil, message: [:]))
            server.clock.advance(seconds: 2)
            try await gameServer.poll()
            #expect(try !gameServer.accepts(stays))
            #expect(try gameServer.accepts(try await server.logIn(.google, "out")))
        }
    }

    @Test("A list is of its app, needs the secret key, names no person, and is no access token")
    func bounds() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.logIn(.google, "alice")
            _ = try await server.logOut(player.device, player.login.session.refreshToken)
            let all = try await server.call(gameServer: Endpoints.revocations, RevocationsRequest())
            let list = try GameServer.claims(all.decoded(as: SignedRevocations.self).revocations)
            #expect(list["revocations"]?.arrayValue?.count == 1)
            #expect(list["revocations"]?[0]?.objectValue?.keys.sorted() == ["reason", "revokedAt", "sid", "sub"])
            let other = try await server.call(
                gameServer: Endpoints.revocations, RevocationsRequest(), app: TestServer.otherApp,
                secret: SecretKey(server.otherSecret()))
            #expect(
                try GameServer.claims(other.decoded(as: SignedRevocations.self).revocations)["revocations"]
                    == .array([]))
            let wrong = try await server.call(
                gameServer: Endpoints.revocations, RevocationsRequest(), secret: SecretKey("x"))
            #expect(wrong.code == 5)
            let long = RevocationsRequest(cursor: String(repeating: "z", count: 65))
            #expect(try await server.call(gameServer: Endpoints.revocations, long).code == 3)
            for since in [Int64.min, .max, -1] {
                let answer = try await server.call(
                    gameServer: Endpoints.revocations, RevocationsRequest(sinceDate: since))
                #expect(answer.status == 200)
            }
            let signed = try all.decoded(as: SignedRevocations.self).revocations
            #expect(try await server.checkToken(AccessToken(signed)).code == 3011)
        }
    }
}

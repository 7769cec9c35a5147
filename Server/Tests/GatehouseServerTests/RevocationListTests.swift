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
        try await World.open(on: .sqlite) { world in
            let server = GameServer(world)
            try await server.poll()
            #expect(server.revocations.isEmpty)
            let banned = try await world.logIn(.google, "banned")
            let (out, stays) = (try await world.logIn(.google, "out"), try await world.logIn(.google, "out"))
            for player in [banned, out, stays] { #expect(try server.accepts(player)) }
            _ = try await world.run(BanMembers([banned.user], until: nil), reason: "x")
            _ = try await world.logOut(out.device, out.login.session.refreshToken)
            try await server.poll()
            for player in [banned, out] { #expect(try !server.accepts(player)) }
            #expect(try server.accepts(stays))
            try await world.run(KickOut(user: nil, message: [:]))
            world.clock.advance(seconds: 2)
            try await server.poll()
            #expect(try !server.accepts(stays))
            #expect(try server.accepts(try await world.logIn(.google, "out")))
        }
    }

    @Test("A list is of its app, needs the secret key, names no person, and is no access token")
    func bounds() async throws {
        try await World.open(on: .sqlite) { world in
            let player = try await world.logIn(.google, "alice")
            _ = try await world.logOut(player.device, player.login.session.refreshToken)
            let all = try await world.call(server: Endpoints.revocations, RevocationsRequest())
            let list = try GameServer.claims(all.decoded(as: SignedRevocations.self).revocations)
            #expect(list["revocations"]?.arrayValue?.count == 1)
            #expect(list["revocations"]?[0]?.objectValue?.keys.sorted() == ["reason", "revokedAt", "sid", "sub"])
            let other = try await world.call(
                server: Endpoints.revocations, RevocationsRequest(), app: World.otherApp,
                secret: SecretKey(world.otherSecret()))
            #expect(
                try GameServer.claims(other.decoded(as: SignedRevocations.self).revocations)["revocations"]
                    == .array([]))
            let wrong = try await world.call(
                server: Endpoints.revocations, RevocationsRequest(), secret: SecretKey("x"))
            #expect(wrong.code == 5)
            let long = RevocationsRequest(cursor: String(repeating: "z", count: 65))
            #expect(try await world.call(server: Endpoints.revocations, long).code == 3)
            for since in [Int64.min, .max, -1] {
                let answer = try await world.call(server: Endpoints.revocations, RevocationsRequest(sinceDate: since))
                #expect(answer.status == 200)
            }
            let signed = try all.decoded(as: SignedRevocations.self).revocations
            #expect(try await world.checkToken(AccessToken(signed)).code == 3011)
        }
    }
}

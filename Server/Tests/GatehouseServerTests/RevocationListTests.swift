import Crypto
import FakeProviders
import Foundation
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseServer

/// The list that game servers poll which check signatures by themselves.
@Suite struct RevocationListTests {
    /// A game server that checks tokens by itself, as docs/game-servers.md tells.
    private final class GameServer {
        let world: World
        var cursor: String?
        var revocations: [[String: JSONValue]] = []
        var everyoneBefore: Int64?

        init(_ world: World) { self.world = world }

        func poll() async throws {
            var isComplete = false
            while !isComplete {
                let answer = try await world.call(server: Endpoints.revocations, RevocationsRequest(cursor: cursor))
                let signed = try answer.decoded(as: SignedRevocations.self)
                let list = try await verified(signed.revocations)
                #expect(list["aud"]?.stringValue == World.app.rawValue)
                revocations += (list["revocations"]?.arrayValue ?? []).compactMap(\.objectValue)
                everyoneBefore = list["everyoneBefore"]?.integerValue
                isComplete = list["isComplete"]?.boolValue == true
                #expect((signed.nextSeconds == 0) == !isComplete)
                cursor = signed.cursor
            }
        }

        private func verified(_ token: String) async throws -> JSONValue {
            let keys = try await world.send(TestCall(method: .get, path: TestCall.path(Endpoints.keys.template)))
                .decoded(as: KeySet.self)
            let parts = token.split(separator: ".").map(String.init)
            let header = try Self.json(parts[0])
            #expect(header["typ"]?.stringValue == "revocations+jwt")
            #expect(header["alg"]?.stringValue == "ES256")
            let key = try #require(keys.keys.first { $0.kid == header["kid"]?.stringValue })
            let publicKey = try #require(P256.Signing.PublicKey(x: key.x, y: key.y))
            let signature = try P256.Signing.ECDSASignature(rawRepresentation: try Self.bytes(parts[2]))
            #expect(publicKey.isValidSignature(signature, for: Data("\(parts[0]).\(parts[1])".utf8)))
            return try Self.claims(token)
        }

        private static func bytes(_ text: String) throws -> Data { Data(try #require(Base64URL.decode(text))) }

        private static func json(_ text: String) throws -> JSONValue {
            try JSONDecoder().decode(JSONValue.self, from: bytes(text))
        }

        static func claims(_ token: String) throws -> JSONValue {
            try json(String(token.split(separator: ".")[1]))
        }

        func accepts(_ player: Player) throws -> Bool {
            let claims = try Self.claims(player.access.secretValue)
            let issued = try #require(claims["iat"]?.integerValue)
            if let everyoneBefore, issued < everyoneBefore { return false }
            return !revocations.contains { revocation in
                guard revocation["sub"] == claims["sub"] else { return false }
                if let session = revocation["sid"], session != claims["sid"] { return false }
                if let provider = revocation["idp"] {
                    guard provider == claims["idp"], issued < revocation["revokedAt"]?.integerValue ?? 0 else {
                        return false
                    }
                }
                if let generation = revocation["gen"]?.integerValue {
                    return (claims["gen"]?.integerValue ?? 0) < generation
                }
                return true
            }
        }
    }

    @Test(
        "INFO-3: whatever ends a session shows in the next list, and what goes on is not in it",
        arguments: Engine.available)
    func list(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let server = GameServer(world)
            try await server.poll()
            #expect(server.revocations.isEmpty)

            let banned = try await world.logIn(.google, "banned")
            let gone = try await world.logIn(.google, "gone")
            let out = try await world.logIn(.google, "out")
            let stays = try await world.logIn(.google, "out")
            let kicked = try await world.logIn(.google, "kicked")
            let signalled = try await world.call(
                Endpoints.logIn, world.idps.credential(.apple, for: "apple"), by: TestDevice()
            ).decoded(as: Login.self)
            let both = try await world.mapped(.facebook, "both", to: world.logIn(.google, "both"))
            let byFacebook = try await world.logIn(.facebook, "both")
            let loser = try await world.logIn(.google, "taken")
            let guest = try await world.guestPlayer()
            let winner = try await world.guestPlayer()
            let mapping = try await world.guestPlayer()
            world.clock.advance(seconds: 10)
            for player in [banned, gone, out, stays, kicked, both, byFacebook, loser, guest, winner, mapping] {
                #expect(try server.accepts(player))
            }

            _ = try await world.administration.ban(banned.user, until: nil, template: nil, reason: "x", of: World.app)
            _ = try await world.call(Endpoints.withdraw, Empty(), by: gone)
            _ = try await world.logOut(out.device, out.login.session.refreshToken)
            try await world.administration.kickOut(kicked.user, message: [:], of: World.app)
            _ = try await world.call(Endpoints.removeMapping, MappingRemoval(provider: .facebook), by: both)
            let ticket = try await world.ticket(.google, "taken", for: winner)
            _ = try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: winner)
            let account = try await world.issue(for: guest)
            let moved = TestDevice()
            let arrival = try await world.redeem(account.id, try #require(account.password?.secretValue), on: moved)
                .decoded(as: Login.self)
            let (headers, body) = try world.idps.signal(.apple, "consent-revoked", of: "apple")
            _ = try await world.send(
                TestCall(
                    path: Endpoints.path(Endpoints.signal, of: .apple, app: World.app), headers: headers,
                    body: String(decoding: body, as: UTF8.self)))
            let mapped = try await world.mapped(.google, "fresh", to: mapping)

            try await server.poll()
            for player in [banned, gone, out, kicked, byFacebook, loser, guest] {
                #expect(try !server.accepts(player), "\(player.login.member.mappings)")
                #expect(try await world.checkToken(player.access).code == 3011)
            }
            #expect(try !server.accepts(Player(device: TestDevice(), login: signalled)))
            // The device that a guest has moved to is in, from the same moment on; so is a guest that has mapped.
            for player in [stays, both, winner, mapping, mapped, Player(device: moved, login: arrival)] {
                #expect(try server.accepts(player), "\(player.login.member.mappings)")
                #expect(try await world.checkToken(player.access).status == 200)
            }
            // Who is released may log in again at once.
            _ = try await world.administration.releaseBan(banned.user, reason: "appeal", of: World.app)
            let back = try await world.logIn(.google, "banned")
            try await server.poll()
            #expect(try server.accepts(back))
            #expect(try !server.accepts(banned))

            try await world.administration.kickOut(nil, message: [:], of: World.app)
            world.clock.advance(seconds: 2)
            try await server.poll()
            #expect(try !server.accepts(stays))
            #expect(try server.accepts(try await world.logIn(.google, "out")))
        }
    }

    @Test(
        "A list is of its app, needs the secret key, names no person, and forgets what is over by itself",
        arguments: Engine.available)
    func bounds(engine: Engine) async throws {
        try await World.open(on: engine) { world in
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
            // The list is no access token.
            let signed = try all.decoded(as: SignedRevocations.self).revocations
            #expect(try await world.checkToken(AccessToken(signed)).code == 3011)

            world.clock.advance(seconds: 3_600 + 61)
            try await world.sweep()
            #expect(try await world.count("SELECT COUNT(*) FROM revocations") == 0)
        }
    }

    @Test("A list that is too long for one answer goes on where it ends, and loses none", arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let app = try #require(try await world.database.read { tx in try AppQueries.app(World.app, in: tx) })
            let change = Change(
                Viewpoint(app: app, moment: world.clock.now), by: .player, random: .live,
                vault: try KeyVault(masterKey: World.vaultKey))
            let count = 2 * RevocationRules.limit + 7
            for start in stride(from: 0, to: count, by: 500) {
                try await world.database.write { tx in
                    for number in start..<min(start + 500, count) {
                        try RevocationRules.revoke(UserID("USER\(number)"), reason: .loggedOut, change, in: tx)
                    }
                }
            }
            let server = GameServer(world)
            try await server.poll()
            #expect(Set(server.revocations.compactMap { $0["sub"]?.stringValue }).count == count)
            // After the overlap nothing comes again.
            world.clock.advance(seconds: RevocationRules.overlapSeconds + 1)
            try await server.poll()
            server.revocations = []
            try await server.poll()
            #expect(server.revocations.isEmpty)
        }
    }

    @Test(
        "INFO-3: a list names the signing keys that were revoked, is signed by one that stands, and brings it along",
        arguments: Engine.available)
    func revokedKeys(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let poll = { () async throws -> (JSONValue, signedBy: String?, published: [String?]) in
                let signed = try await world.call(server: Endpoints.revocations, RevocationsRequest())
                    .decoded(as: SignedRevocations.self)
                let header = try #require(signed.revocations.split(separator: ".").first)
                let decoded = try JSONDecoder().decode(
                    JSONValue.self, from: Data(#require(Base64URL.decode(String(header)))))
                return (
                    try GameServer.claims(signed.revocations), decoded["kid"]?.stringValue, signed.jwks.keys.map(\.kid)
                )
            }
            let first = try await poll()
            #expect(first.0["revokedKeys"] == .array([]))
            let old = try #require(first.signedBy)
            #expect(first.published == [old])

            // A key that takes over in its time is not revoked: its tokens count to their end.
            let second = try await world.administration.rotateKey(of: World.app, revokingOthers: false)
            let between = try await poll()
            #expect(between.0["revokedKeys"] == .array([]))
            #expect(between.signedBy == old)
            #expect(between.published == [old, second])

            // The clock stands still: the node's copy of the app is older than the new key.
            let third = try await world.administration.rotateKey(of: World.app, revokingOthers: true)
            let after = try await poll()
            #expect(after.0["revokedKeys"]?.arrayValue.map { Set($0.compactMap(\.stringValue)) } == [old, second])
            #expect(after.signedBy == third)
            #expect(after.published == [third])
            // Those of another app stand.
            let other = try await world.call(
                server: Endpoints.revocations, RevocationsRequest(), app: World.otherApp,
                secret: SecretKey(world.otherSecret())
            ).decoded(as: SignedRevocations.self)
            #expect(try GameServer.claims(other.revocations)["revokedKeys"] == .array([]))

            world.clock.advance(seconds: KeyRules.revokedKeyDays * 86_400 - 60)
            try await world.sweep()
            #expect(try await world.count("SELECT COUNT(*) FROM revoked_signing_keys") == 2)
            world.clock.advance(seconds: 120)
            try await world.sweep()
            #expect(try await world.count("SELECT COUNT(*) FROM revoked_signing_keys") == 0)
        }
    }

    @Test(
        "INFO-3: a guest that was kicked out before is not taken for revoked after its first mapping",
        arguments: Engine.available)
    func generationAfterMapping(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let server = GameServer(world)
            let before = try await world.guestPlayer()
            world.clock.advance(seconds: 10)
            try await world.administration.kickOut(before.user, message: [:], of: World.app)
            world.clock.advance(seconds: 10)
            let again = try await world.guestPlayer(before.device)
            #expect(again.user == before.user)
            let mapped = try await world.mapped(.google, "alice", to: again)
            #expect(mapped.access != again.access)
            try await server.poll()
            #expect(try !server.accepts(before))
            #expect(try server.accepts(again))
            #expect(try server.accepts(mapped))
        }
    }
}

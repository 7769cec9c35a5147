import FakeProviders
import Foundation
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The list for game servers that verify signatures themselves.
@Suite struct RevocationListTests {
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

            _ = try await world.run(BanMembers([banned.user], until: nil), reason: "x")
            _ = try await world.call(Endpoints.withdraw, Empty(), by: gone)
            _ = try await world.logOut(out.device, out.login.session.refreshToken)
            try await world.run(KickOut(user: kicked.user, message: [:]))
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
            // The device to which a guest has moved is logged in from the same moment, and so is a guest that has mapped.
            for player in [stays, both, winner, mapping, mapped, Player(device: moved, login: arrival)] {
                #expect(try server.accepts(player), "\(player.login.member.mappings)")
                #expect(try await world.checkToken(player.access).status == 200)
            }
            // A released member may log in again at once.
            _ = try await world.run(ReleaseBans(users: [banned.user]), reason: "appeal")
            let back = try await world.logIn(.google, "banned")
            try await server.poll()
            #expect(try server.accepts(back))
            #expect(try !server.accepts(banned))

            try await world.run(KickOut(user: nil, message: [:]))
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
            // The list can't be used as an access token.
            let signed = try all.decoded(as: SignedRevocations.self).revocations
            #expect(try await world.checkToken(AccessToken(signed)).code == 3011)

            // On PostgreSQL they leave with the others of their day.
            world.clock.advance(seconds: 3_600 + 61 + (engine == .sqlite ? 0 : 86_400))
            try await world.sweep()
            #expect(try await world.count("SELECT COUNT(*) FROM revocations") == 0)
        }
    }

    @Test("A list that is too long for one answer goes on where it ends, and loses none", arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let app = try #require(try await world.database.read { tx in try AppQueries.app(World.app, in: tx) })
            let view = Viewpoint(app: app, moment: world.clock.now)
            let vault = try KeyVault(masterKey: World.vaultKey)
            let count = 2 * RevocationRules.limit + 7
            for start in stride(from: 0, to: count, by: 500) {
                try await world.database.transact { tx in
                    let change = Change(view, by: Actor.system.origin, random: .live, vault: vault)
                    for number in start..<min(start + 500, count) {
                        try RevocationRules.revoke(UserID("USER\(number)"), reason: .loggedOut, change, in: tx)
                    }
                }
            }
            let server = GameServer(world)
            try await server.poll()
            #expect(Set(server.revocations.compactMap { $0["sub"]?.stringValue }).count == count)
            // After the overlap no entry is repeated.
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

            // A key that is replaced regularly is not revoked: its tokens stay valid until they expire.
            let second = try await world.run(RotateSigningKey(revokesOthers: false))
            let between = try await poll()
            #expect(between.0["revokedKeys"] == .array([]))
            #expect(between.signedBy == old)
            #expect(between.published == [old, second])

            // The clock stands still: the node's copy of the app is older than the new key.
            let third = try await world.run(RotateSigningKey(revokesOthers: true))
            let after = try await poll()
            #expect(after.0["revokedKeys"]?.arrayValue.map { Set($0.compactMap(\.stringValue)) } == [old, second])
            #expect(after.signedBy == third)
            #expect(after.published == [third])
            // The tokens of another app stay valid.
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
            try await world.run(KickOut(user: before.user, message: [:]))
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

    @Test(
        "BAN-5, INFO-3: who checks tokens alone refuses those of the second of a kick-out, and no later one",
        arguments: Engine.available)
    func kickOutWithinASecond(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            world.clock.advance(milliseconds: 300)
            let before = try await world.logIn(.google, "alice")
            world.clock.advance(milliseconds: 400)
            try await world.run(KickOut(user: nil, message: [:]))
            world.clock.advance(milliseconds: 200)
            // This node knows of the kick-out.
            try await world.onSecondNode { node in
                let server = GameServer(node)
                try await server.poll()
                let after = try await node.logIn(.google, "alice")
                #expect(try !server.accepts(before))
                #expect(try server.accepts(after))
                #expect(try await node.checkToken(before.access).reason == "kicked_out")
                #expect(try await node.checkToken(after.access).status == 200)
                let renewal = try await node.refresh(after.device, after.login.session.refreshToken)
                    .decoded(as: SessionRenewal.self)
                let mapped = try await node.mapped(.apple, "alice", to: after)
                world.clock.advance(seconds: 1)
                try await server.poll()
                for token in [after.access, mapped.access, renewal.session.accessToken] {
                    #expect(try server.accepts(token))
                    #expect(try await world.checkToken(token).status == 200)
                }
            }
        }
    }

    @Test(
        "BAN-5, INFO-3: a token that a node signs before it has heard of a kick-out is refused by who checks alone",
        arguments: Engine.available)
    func kickOutUnheard(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let server = GameServer(world)
            world.clock.advance(milliseconds: 990)
            let player = try await world.logIn(.google, "alice")
            try await world.run(KickOut(user: nil, message: [:]))
            world.clock.advance(milliseconds: 990)
            let renewal = try await world.refresh(player.device, player.login.session.refreshToken)
                .decoded(as: SessionRenewal.self)
            let late = try await world.logIn(.google, "alice")
            world.clock.advance(milliseconds: 20)
            try await server.poll()
            for token in [player.access, renewal.session.accessToken, late.access] {
                #expect(try !server.accepts(token))
                #expect(try await world.checkToken(token).reason == "kicked_out")
            }
            // From now on the node knows of it.
            let after = try await world.logIn(.google, "alice")
            #expect(try server.accepts(after))
            #expect(try await world.checkToken(after.access).status == 200)
        }
    }

    @Test("BAN-5: a kick-out by a clock that is behind lets nobody in again", arguments: Engine.available)
    func kickOutTwice(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.google, "alice")
            world.clock.advance(seconds: 10)
            try await world.run(KickOut(user: nil, message: [:]))
            world.clock.advance(seconds: -20)
            try await world.run(KickOut(user: nil, message: ["en": "Again."]))
            world.clock.advance(seconds: 30)
            let answer = try await world.heartbeat(player.device, player.access)
            #expect(answer.reason == "kicked_out")
            #expect(answer.details?.message == "Again.")
        }
    }
}

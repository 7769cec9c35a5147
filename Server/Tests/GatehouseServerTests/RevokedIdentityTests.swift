import FakeProviders
import Foundation
import GatehouseSecurity
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The state of a member whose player has revoked the consent at an identity provider.
@Suite struct RevokedIdentityTests {
    private static func report(_ kind: String, of name: String, in world: World) async throws {
        let (headers, body) = try world.idps.signal(.apple, kind, of: name)
        let answer = try await world.send(
            TestCall(
                path: Endpoints.path(Endpoints.signal, of: .apple, app: World.app), headers: headers,
                body: String(decoding: body, as: UTF8.self)))
        #expect(answer.status == 200)
    }

    private static func standing(of player: Player, in world: World) async throws -> Standing {
        try await world.heartbeat(player.device, player.access).decoded(as: Heartbeat.self).standing
    }

    @Test(
        "The sessions of the provider end; others go on, and are told until the mapping is removed or the player is back",
        arguments: Engine.available)
    func others(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let google = try await world.mapped(.apple, "alice", to: world.logIn(.google, "alice"))
            let apple = try await world.logIn(.apple, "alice")
            #expect(try await Self.standing(of: google, in: world).revokedProviders == nil)
            try await Self.report("consent-revoked", of: "alice", in: world)
            #expect(try await world.heartbeat(apple.device, apple.access).reason == "consent_revoked")
            #expect(try await Self.standing(of: google, in: world).revokedProviders == [.apple])
            let last = try await world.logInWithLastProvider(google.device, google.login.session.refreshToken)
                .decoded(as: Login.self)
            #expect(last.standing.revokedProviders == [.apple])
            let mapping = try #require(last.member.mappings.first { $0.provider == .apple })
            #expect(mapping.revokedDate == world.clock.now.milliseconds)

            // A session that has ended can't withdraw a member with another provider.
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: apple).code == 3011)

            let back = try await world.logIn(.apple, "alice")
            #expect(back.user == google.user)
            #expect(back.login.standing.revokedProviders == nil)
            #expect(try await Self.standing(of: google, in: world).revokedProviders == nil)
            #expect(try await world.heartbeat(apple.device, apple.access).reason == "consent_revoked")

            world.clock.advance(seconds: 60)
            try await Self.report("consent-revoked", of: "alice", in: world)
            let removal = MappingRemoval(provider: .apple)
            let removed = try await world.call(Endpoints.removeMapping, removal, by: google)
                .decoded(as: MappingChange.self)
            #expect(removed.standing.revokedProviders == nil)
            #expect(removed.member.mappings.map(\.provider) == [.google])
            try await world.expectInvariants()
        }
    }

    @Test(
        "Who has no other provider may withdraw with the session that has ended, and do nothing else with it",
        arguments: Engine.available, ["consent-revoked", "account-deleted"])
    func only(engine: Engine, kind: String) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.apple, "alice")
            let loggedOut = try await world.logIn(.apple, "alice")
            let other = try await world.logIn(.google, "other")
            _ = try await world.logOut(loggedOut.device, loggedOut.login.session.refreshToken)
            try await Self.report(kind, of: "alice", in: world)
            for answer in [
                try await world.heartbeat(player.device, player.access), try await world.checkToken(player.access),
                try await world.refresh(player.device, player.login.session.refreshToken),
                try await world.call(Endpoints.requestWithdrawal, Empty(), by: player),
            ] {
                #expect(answer.code == 3011)
                #expect(answer.reason == "consent_revoked")
            }
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: loggedOut).reason == "logged_out")
            // The player waits overnight, and the token can't be refreshed. A valid session's token can.
            world.clock.advance(seconds: 12 * 3_600)
            for expired in [other, loggedOut] {
                #expect(try await world.call(Endpoints.withdraw, Empty(), by: expired).reason == "token_expired")
            }
            #expect(try await world.call(Endpoints.requestWithdrawal, Empty(), by: player).reason == "token_expired")
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: player).status == 200)
            #expect(try await world.report(other.user).member.status == .normal)
            #expect(try await world.report(player.user).member.status == .withdrawn)
            #expect(try await world.logIn(.apple, "alice").user != player.user)
            try await world.expectInvariants()
        }
    }

    @Test("Who has come back withdraws with the new session, and no longer with the one that has ended")
    func back() async throws {
        try await World.open(on: .sqlite) { world in
            let player = try await world.logIn(.apple, "alice")
            try await Self.report("consent-revoked", of: "alice", in: world)
            let back = try await world.logIn(.apple, "alice")
            #expect(back.user == player.user)
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: player).code == 3011)
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: back).status == 200)
        }
    }

    @Test(
        "MAP-7: a change of login proves that the player is back, and the session that has ended is good for nothing more",
        arguments: Engine.available)
    func changeLogin(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let other = try await world.logIn(.apple, "alice")
            try await Self.report("consent-revoked", of: "alice", in: world)
            let ended = try await world.heartbeat(other.device, other.access)
            #expect(ended.reason == "consent_revoked")
            #expect(ended.details?.provider == .apple)
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.apple, "alice", for: guest)
            let login = try await world.call(Endpoints.changeLogin, TicketUse(ticket), by: guest)
                .decoded(as: Login.self)
            #expect(login.member.userId == other.user)
            #expect(login.standing.revokedProviders == nil)
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: other).code == 3011)
            #expect(try await world.report(other.user).member.status == .normal)
        }
    }

    @Test(
        "The withdrawal after a report does not need the key that signed its token to sign still; a revoked key ends it",
        arguments: Engine.available)
    func rotatedKey(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let alice = try await world.logIn(.apple, "alice")
            let bob = try await world.logIn(.apple, "bob")
            for name in ["alice", "bob"] { try await Self.report("consent-revoked", of: name, in: world) }
            _ = try await world.run(RotateSigningKey(revokesOthers: false))
            world.clock.advance(seconds: 3 * 86_400)
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: alice).status == 200)
            _ = try await world.run(RotateSigningKey(revokesOthers: true))
            world.clock.advance(seconds: 60)
            #expect(try await world.call(Endpoints.withdraw, Empty(), by: bob).reason == "token_foreign")
        }
    }
}

import FakeProviders
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// When a player's consent is revoked at the provider.
@Suite struct ConsentTests {
    private func set(_ consent: ConsentPolicy, _ world: World) async throws {
        _ = try await world.run(ChangeAccountPolicy { $0.consent = consent })
        world.clock.advance(seconds: 2)
    }

    /// Maps a provider whose tokens can be revoked and removes it again.
    private func mapAndRemove(_ provider: Provider, _ name: String, _ world: World) async throws -> Player {
        let player = try await world.logIn(.google, name)
        let credential = try await world.loginCode(provider, name, by: player.device)
        #expect(try await world.call(Endpoints.addMapping, credential, by: player).status == 200)
        #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens WHERE user_id = \(player.user)") == 2)
        let removal = MappingRemoval(provider: provider)
        #expect(try await world.call(Endpoints.removeMapping, removal, by: player).status == 200)
        #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens WHERE user_id = \(player.user)") == 1)
        return player
    }

    @Test(
        "MAP-8: the tokens of a removed mapping are deleted; the consent stays unless the app revokes it on removal, too",
        arguments: Engine.available)
    func removal(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            _ = try await mapAndRemove(.facebook, "alice", world)
            #expect(try await world.runJobs() == 0)
            #expect(world.idps.revoked.isEmpty)

            try await set(.removal, world)
            let player = try await mapAndRemove(.facebook, "bob", world)
            #expect(try await world.runJobs() == 1)
            #expect(world.idps.revoked == [world.idps.accessToken(.facebook, for: "bob").secretValue])
            #expect(try await world.history(player.user).suffix(2) == ["mapping.removed", "idp-tokens.revoked"])
        }
    }

    @Test(
        "MAP-8, WITHDRAW-1: never is never, but for the providers whose terms require it", arguments: Engine.available)
    func never(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            try await set(.never, world)
            for (provider, isRevoked) in [(Provider.facebook, false), (.naver, false), (.apple, true), (.line, true)] {
                let device = TestDevice()
                let login = try await world.call(
                    Endpoints.logIn, world.loginCode(provider, "alice", by: device), by: device
                ).decoded(as: Login.self)
                _ = try await world.call(Endpoints.withdraw, Empty(), by: Player(device: device, login: login))
                #expect(try await world.runJobs() == (isRevoked ? 1 : 0), "\(provider)")
            }
            // LINE requires it also at the removal of a mapping; Apple does not.
            _ = try await mapAndRemove(.line, "bob", world)
            #expect(try await world.runJobs() == 1)
            _ = try await mapAndRemove(.apple, "carol", world)
            #expect(try await world.runJobs() == 0)
        }
    }

    @Test(
        "WITHDRAW-1: a later login that brings nothing to revoke by leaves what an earlier one has brought, for that alone",
        arguments: Engine.available)
    func earlierTokens(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let credential = try world.idps.credential(.apple, for: "alice")
            #expect(try await world.call(Endpoints.logIn, credential, by: TestDevice()).status == 200)
            let refreshToken = world.idps.accessToken(.apple, for: "alice", kind: "refresh").secretValue
            var player = try await world.logIn(.apple, "alice")
            for _ in 0..<2 {
                world.clock.advance(seconds: 1)
                player = try await world.logIn(.apple, "alice")
                let profile = try await world.askProfile(player, .apple).decoded(as: ProviderProfile.self)
                #expect(profile.accessToken == nil)
            }
            _ = try await world.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await world.runJobs() == 1)
            #expect(world.idps.revoked == [refreshToken])
        }
    }

    @Test("WITHDRAW-1, MAP-8: a withdrawal revokes what is mapped, by default")
    func standard() async throws {
        try await World.open(on: .sqlite) { world in
            #expect(try await world.run(ReadApp()).policy.consent == .withdrawal)
            let player = try await world.logIn(.google, "alice", accessToken: true)
            _ = try await world.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await world.runJobs() == 1)
            #expect(world.idps.revoked == [world.idps.accessToken(.google, for: "alice").secretValue])
            #expect(world.audit.events.contains("app.account-policy-set") == false)
            try await set(.never, world)
            #expect(world.audit.events.contains("app.account-policy-set"))
        }
    }
}

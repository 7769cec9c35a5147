import FakeProviders
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct ProviderProfileTests {
    @Test(
        "LOGIN-9, INFO-4: what a provider told is to be had after a login with it, and not after one with the last provider",
        arguments: Engine.available)
    func availability(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            try await world.keepProfiles(of: .google)
            let player = try await world.logIn(.google, "alice", accessToken: true)
            let ask = { (provider: Provider) in
                try await world.call(
                    server: Endpoints.providerProfile, ProviderProfileRequest(userId: player.user, provider: provider))
            }
            let profile = try await ask(.google).decoded(as: ProviderProfile.self)
            #expect(profile.subject == "alice")
            #expect(profile.profile["name"] == "Player alice")
            #expect(profile.profile["iss"] == nil)
            #expect(profile.accessToken == world.idps.accessToken(.google, for: "alice"))
            #expect(!(try await world.dump()).contains("Player alice"))

            world.clock.advance(seconds: 1)
            _ = try await world.logInWithLastProvider(player.device, player.login.session.refreshToken)
            let refused = try await ask(.google)
            #expect(refused.status == 404)
            #expect(refused.code == 3202)
            #expect(refused.reason == "provider_profile_unavailable")
            world.clock.advance(seconds: 1)
            _ = try await world.logIn(.google, "alice")
            #expect(try await ask(.google).status == 200)

            // A mapping tells too; a provider whose profile the app does not keep says nothing.
            world.clock.advance(seconds: 1)
            let again = try await world.logIn(.google, "alice")
            _ = try await world.mapped(.apple, "alice", to: again)
            #expect(try await ask(.apple).code == 3202)
            #expect(try await ask(.naver).code == 3202)
            #expect(try await ask(.guest).code == 3202)
        }
    }

    @Test("WDR-3: a profile goes with its member, and with its mapping", arguments: Engine.available)
    func deletion(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            try await world.keepProfiles(of: .google)
            let player = try await world.logIn(.apple, "alice")
            let mapped = try await world.mapped(.google, "alice", to: player)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 1)
            _ = try await world.call(Endpoints.removeMapping, MappingRemoval(provider: .google), by: mapped)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 0)
            _ = try await world.mapped(.google, "alice", to: player)
            _ = try await world.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 0)
            // There was no token to revoke.
            #expect(try await world.count("SELECT COUNT(*) FROM jobs") == 0)
            let request = ProviderProfileRequest(userId: player.user, provider: .google)
            #expect(try await world.call(server: Endpoints.providerProfile, request).code == 3003)
        }
    }
}

extension World {
    func keepProfiles(of provider: Provider) async throws {
        var configuration =
            try await administration.identityProviders(of: Self.app)[provider] ?? .init(kind: .openID, clientIds: [])
        configuration.keepsProfile = true
        try await administration.setIdentityProvider(provider, configuration, of: Self.app)
        clock.advance(seconds: 1)
    }
}

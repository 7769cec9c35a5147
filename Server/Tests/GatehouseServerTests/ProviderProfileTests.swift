import FakeProviders
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct ProviderProfileTests {
    @Test(
        "LOGIN-9, INFO-4: a game server and the player's own session are told the profile, which is stored sealed"
    )
    func told() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let player = try await server.logIn(.google, "alice", accessToken: true)
            let token = server.idps.accessToken(.google, for: "alice")
            let profile = try await server.askProfile(player, .google).decoded(as: ProviderProfile.self)
            #expect(profile.subject == "alice")
            #expect(profile.profile["name"] == "Player alice")
            #expect(profile.accessToken == token)
            let own = OwnProfileRequest(provider: .google)
            let answer = try await server.call(Endpoints.ownProfile, own, by: player)
            #expect(try answer.decoded(as: ProviderProfile.self).profile["name"] == "Player alice")
            let dump = try await server.database.dump()
            #expect(!dump.contains("Player alice") && !dump.contains(token.secretValue))
            #expect(!server.audit.text.contains(token.secretValue))

            let none = try await server.askProfile(player, .naver)
            #expect(none.status == 404)
            #expect(none.code == 3202)
            #expect(none.reason == "provider_profile_unavailable")
        }
    }

    @Test("INFO-4: Gamebase's API has an ID token in the place of the access token that a login has not brought")
    func idToken() async throws {
        try await TestServer.open(on: .sqlite) { server in
            let device = TestDevice()
            let credential = try server.credential(.google, "alice")
            let login = try await server.call(Endpoints.logIn, credential, by: device).decoded(as: Login.self)
            let player = Player(device: device, login: login)
            let answer = try await server.tcgb(
                .get,
                "gateway/v1.3/apps/{a}/members/\(player.user)/idps/google?accessToken=\(player.access.secretValue)")
            let token = try #require(credential.idToken?.secretValue)
            #expect(answer["idPToken"]?["accessToken"]?.stringValue == token)
            #expect(!(try await server.database.dump()).contains(token))
        }
    }
}

extension TestServer {
    /// A game server asks for a player's profile from a provider.
    func askProfile(_ player: Player, _ provider: Provider) async throws -> TestAnswer {
        try await call(
            gameServer: Endpoints.providerProfile, ProviderProfileRequest(userId: player.user, provider: provider))
    }
}

import FakeProviders
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseServerWire
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
            let player = try await world.logIn(.google, "alice", accessToken: true)
            let profile = try await world.askProfile(player, .google).decoded(as: ProviderProfile.self)
            #expect(profile.subject == "alice")
            #expect(profile.profile["name"] == "Player alice")
            #expect(profile.profile["iss"] == nil)
            #expect(profile.accessToken == world.idps.accessToken(.google, for: "alice"))
            #expect(!(try await world.dump()).contains("Player alice"))
            #expect(!world.audit.text.contains(world.idps.accessToken(.google, for: "alice").secretValue))

            world.clock.advance(seconds: 1)
            _ = try await world.logInWithLastProvider(player.device, player.login.session.refreshToken)
            let refused = try await world.askProfile(player, .google)
            #expect(refused.status == 404)
            #expect(refused.code == 3202)
            #expect(refused.reason == "provider_profile_unavailable")
            world.clock.advance(seconds: 1)
            let again = try await world.logIn(.google, "alice")
            #expect(try await world.askProfile(player, .google).status == 200)

            // A mapping brings a profile too; a provider that is not mapped has none.
            world.clock.advance(seconds: 1)
            _ = try await world.mapped(.apple, "alice", to: again)
            #expect(try await world.askProfile(player, .apple).status == 200)
            #expect(try await world.askProfile(player, .naver).code == 3202)
            #expect(try await world.askProfile(player, .guest).code == 3202)
        }
    }

    @Test(
        "INFO-4: without any setting, after a page and after a credential, of every provider",
        arguments: Engine.available)
    func everyProvider(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            for provider in FakeProviders.names {
                let device = TestDevice()
                let credential =
                    FakeProviders.withPages.contains(provider)
                    ? try await world.loginCode(provider, "alice", by: device)
                    : try world.idps.credential(provider, for: "alice")
                let login = try await world.call(Endpoints.logIn, credential, by: device).decoded(as: Login.self)
                let profile = try await world.askProfile(Player(device: device, login: login), provider)
                    .decoded(as: ProviderProfile.self)
                #expect(profile.subject == world.idps.subject(of: "alice", at: provider))
                #expect(!profile.profile.isEmpty, "\(provider)")
                // Game Center has no token.
                #expect((profile.accessToken == nil) == (provider == .gameCenter), "\(provider)")
            }
        }
    }

    @Test(
        "INFO-4: an ID token is what is told of a login that has brought nothing else, and it goes with the profile",
        arguments: Engine.available)
    func idTokens(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let credential = try world.credential(.google, "alice")
            let device = TestDevice()
            let login = try await world.call(Endpoints.logIn, credential, by: device).decoded(as: Login.self)
            let player = Player(device: device, login: login)
            let profile = try await world.askProfile(player, .google).decoded(as: ProviderProfile.self)
            #expect(profile.accessToken == nil)
            #expect(profile.idToken == credential.idToken)
            let token = try #require(credential.idToken?.secretValue)
            #expect(!(try await world.dump()).contains(token))
            let answer = try await world.tcgb(
                .get,
                "gateway/v1.3/apps/{a}/members/\(player.user)/idps/google?accessToken=\(player.access.secretValue)")
            #expect(answer["idPToken"]?["accessToken"]?.stringValue == token)

            let both = try await world.logIn(.google, "bob", accessToken: true)
            #expect(try await world.askProfile(both, .google).decoded(as: ProviderProfile.self).idToken == nil)
        }
    }

    @Test(
        "INFO-4: one device's login with the last provider hides nothing from another's, and its own token gets nothing",
        arguments: Engine.available)
    func devices(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let tablet = try await world.logIn(.google, "alice")
            world.clock.advance(seconds: 1)
            let phone = try await world.logIn(.google, "alice", accessToken: true)
            world.clock.advance(seconds: 1)
            let last = try await world.logInWithLastProvider(tablet.device, tablet.login.session.refreshToken)
                .decoded(as: Login.self)
            #expect(try await world.askProfile(phone, .google).status == 200)
            let own = OwnProfileRequest(provider: .google)
            #expect(try await world.call(Endpoints.ownProfile, own, by: phone).status == 200)
            let resumed = Player(device: tablet.device, login: last)
            #expect(try await world.call(Endpoints.ownProfile, own, by: resumed).code == 3202)
            // The phone's session has ended: no session from a login with the provider is left.
            _ = try await world.logOut(phone.device, phone.login.session.refreshToken)
            #expect(try await world.askProfile(phone, .google).code == 3202)
        }
    }

    @Test(
        "INFO-2, INFO-4: nothing stale: after a logout, a ban, a change of login and another's login it is nobody's",
        arguments: Engine.available)
    func stale(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let own = OwnProfileRequest(provider: .google)
            let alice = try await world.logIn(.google, "alice")
            _ = try await world.logOut(alice.device, alice.login.session.refreshToken)
            #expect(try await world.askProfile(alice, .google).code == 3202)
            #expect(try await world.call(Endpoints.ownProfile, own, by: alice).code == 3011)

            // Another player logs in on the same device.
            let bob = try await world.logIn(.google, "bob", on: alice.device)
            let told = try await world.call(Endpoints.ownProfile, own, by: bob).decoded(as: ProviderProfile.self)
            #expect(told.profile["name"] == "Player bob")
            #expect(try await world.askProfile(alice, .google).code == 3202)
            _ = try await world.run(BanMembers([bob.user], until: nil), reason: "aimbot")
            #expect(try await world.askProfile(bob, .google).code == 3202)
            #expect(try await world.call(Endpoints.ownProfile, own, by: bob).code == 3011)

            // After a change of login, the former member has no session.
            let carol = try await world.logIn(.facebook, "carol")
            let dave = try await world.logIn(.google, "dave")
            let ticket = try await world.ticket(.google, "dave", for: carol)
            let changed = try await world.call(Endpoints.changeLogin, TicketUse(ticket), by: carol)
                .decoded(as: Login.self)
            let player = Player(device: carol.device, login: changed)
            #expect(player.user == dave.user)
            #expect(try await world.call(Endpoints.ownProfile, own, by: player).status == 200)
            _ = try await world.refresh(player.device, player.login.session.refreshToken)
            #expect(try await world.askProfile(carol, .facebook).code == 3202)

            // A grace period that is over counts as a withdrawal, even before the withdrawal is carried out.
            let leaver = try await world.logIn(.google, "leaver")
            _ = try await world.call(Endpoints.requestWithdrawal, Empty(), by: leaver)
            #expect(try await world.askProfile(leaver, .google).status == 200)
            world.clock.advance(seconds: 8 * 86_400)
            #expect(try await world.askProfile(leaver, .google).code == 3202)
            world.clock.advance(seconds: -8 * 86_400)

            // When an identity moves to another member, its token moves too.
            let guest = try await world.guestPlayer()
            let moved = try await world.ticket(.google, "dave", for: guest)
            _ = try await world.call(Endpoints.forceMapping, TicketUse(moved), by: guest)
            #expect(try await world.askProfile(player, .google).code == 3003)
            #expect(try await world.askProfile(guest, .google).status == 200)
        }
    }

    @Test(
        "INFO-4: where the operator switches the keeping off, it ends at once, and what was kept is deleted",
        arguments: Engine.available)
    func switchedOff(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.google, "alice", accessToken: true)
            let token = world.idps.accessToken(.google, for: "alice").secretValue
            let without = try await world.logIn(.google, "bob")
            let partner = try await world.call(
                Endpoints.logIn, world.idps.credential(.hangame, for: "carol"), by: TestDevice())
            #expect(partner.status == 200)
            let page = TestDevice()
            let pending = try await world.loginCode(.google, "dave", by: page)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 3)
            for provider in [Provider.google, .hangame] {
                var configuration = try #require(try await world.run(ReadApp()).providers[provider])
                configuration.keepsProfile = false
                try await world.run(SetIdentityProvider(provider: provider, configuration: configuration))
            }
            world.clock.advance(seconds: 2)
            #expect(try await world.askProfile(player, .google).code == 3202)
            // A page that was open when the setting was disabled does not bring the profile back.
            let late = try await world.call(Endpoints.logIn, pending, by: page).decoded(as: Login.self)
            world.clock.advance(seconds: 5)
            #expect(try await world.runJobs() == 2)
            // Google's tokens can be revoked later, and are kept for that; a partner's can't.
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens WHERE idp = 'hangame'") == 0)

            var on = try #require(try await world.run(ReadApp()).providers[.google])
            on.keepsProfile = true
            try await world.run(SetIdentityProvider(provider: .google, configuration: on))
            world.clock.advance(seconds: 2)
            for gone in [player, without, Player(device: page, login: late)] {
                #expect(try await world.askProfile(gone, .google).code == 3202)
            }
            _ = try await world.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await world.runJobs() == 1)
            #expect(world.idps.revoked == [token])
        }
    }

    @Test(
        "INFO-4: many profiles are forgotten by jobs that follow one another, and never those of a login that came later",
        arguments: Engine.available)
    func manyPages(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            for name in ["a", "b", "c", "d", "e"] { _ = try await world.logIn(.google, name) }
            _ = try await world.logIn(.facebook, "a", accessToken: true)
            var configuration = try #require(try await world.run(ReadApp()).providers[.google])
            configuration.keepsProfile = false
            try await world.run(SetIdentityProvider(provider: .google, configuration: configuration))
            world.clock.advance(seconds: 10)
            // Five rows, one a transaction and two a job: the sixth transaction finds the end.
            #expect(try await world.runJobs(pages: (rows: 1, perJob: 2)) == 3)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 1)
            #expect(try await world.count("SELECT COUNT(*) FROM jobs WHERE state = 'waiting'") == 0)
        }
    }

    @Test("WDR-3: a profile goes with its member, and with its mapping", arguments: Engine.available)
    func deletion(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.apple, "alice")
            let mapped = try await world.mapped(.google, "alice", to: player)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 2)
            _ = try await world.call(Endpoints.removeMapping, MappingRemoval(provider: .google), by: mapped)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 1)
            _ = try await world.mapped(.google, "alice", to: player)
            _ = try await world.call(Endpoints.withdraw, Empty(), by: player)
            #expect(try await world.count("SELECT COUNT(*) FROM identity_tokens") == 0)
            // There was no token to revoke.
            #expect(try await world.count("SELECT COUNT(*) FROM jobs") == 0)
            let request = ProviderProfileRequest(userId: player.user, provider: .google)
            #expect(try await world.call(server: Endpoints.providerProfile, request).code == 3003)
        }
    }

    @Test("INFO-4: a later setting of a provider leaves the keeping of profiles as it is", arguments: Engine.available)
    func laterSetting(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            func keeps(after members: [String: JSONValue]) async throws -> Bool? {
                let settings = (world.idps.configuration(of: .google).objectValue ?? [:]).merging(members) { $1 }
                try await world.run(
                    SetIdentityProvider(
                        provider: .google, settings: .object(settings), secrets: world.idps.secrets(of: .google)))
                return try await world.run(ReadApp()).providers[.google]?.keepsProfile
            }
            let off = try await keeps(after: ["keepsProfile": false])
            #expect(off == false)
            #expect(try await keeps(after: ["scopes": ["openid", "email"]]) == false)
            #expect(try await keeps(after: ["keepsProfile": true]) == true)
            #expect(try await keeps(after: [:]) == true)
        }
    }
}

extension World {
    /// A game server asks for a player's profile from a provider.
    func askProfile(_ player: Player, _ provider: Provider) async throws -> TestAnswer {
        try await call(
            server: Endpoints.providerProfile, ProviderProfileRequest(userId: player.user, provider: provider))
    }
}

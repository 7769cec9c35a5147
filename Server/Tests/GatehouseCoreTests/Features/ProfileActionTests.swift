import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What an identity provider has told about a member, and who is told of it, for how long.
@Suite struct ProfileActionTests {
    private func profile(of user: UserID, at provider: Provider = .naver, _ core: TestCore) async throws
        -> ProviderProfile
    {
        try await core.gameServer([.profile]).run(
            ReadProviderProfile(request: ProviderProfileRequest(userId: user, provider: provider)))
    }

    private func profile(by player: Player, _ provider: Provider = .naver) async throws -> ProviderProfile {
        try await player.run(ReadOwnProfile(request: OwnProfileRequest(provider: provider)))
    }

    private func expectNone(_ read: () async throws -> ProviderProfile) async {
        let refused = await refusal { try await read() }
        #expect(refused?.code == .authIDPLoginInvalidIDPInfo)
        #expect(refused?.reason == .providerProfileUnavailable)
        #expect(refused?.status == 404)
    }

    private func holder(_ player: Player) -> Caller { player.device.holder(of: player.login.session.refreshToken) }

    @Test("INFO-4, LOGIN-9: a provider's profile and token are told of the member of the login, and of no other")
    func told() async throws {
        try await TestCore.open { core in
            let credential = FakePeople.credential(.naver, of: "alice")
            let alice = try await core.device("phone").logIn(credential)
            let bob = try await core.player("bob", .twitter, on: "tablet")
            let told = try await profile(of: alice.user, core)
            #expect(told.subject == "alice")
            #expect(told.accessToken == credential.accessToken)
            #expect(told.profile["id"] == .string("alice"))
            #expect(core.callLog.lines(.profileRead).map { $0.subject["userId"] } == [alice.user.rawValue])
            await expectNone { try await profile(of: alice.user, at: .twitter, core) }
            await expectNone { try await profile(of: bob.user, core) }
            #expect(await code { try await profile(of: UserID("nobody"), core) } == .authNotExistMember)
            try await alice.run(Withdraw())
            #expect(await code { try await profile(of: alice.user, core) } == .authNotExistMember)
        }
    }

    @Test("LOGIN-9: a profile is told while a session of a login with the provider lives that was not resumed")
    func sessions() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            _ = try await holder(alice).run(RefreshSession())
            #expect(try await profile(of: alice.user, core).subject == "alice")
            core.clock.advance(seconds: 1)
            _ = try await holder(alice).run(LogInWithLastProvider())
            await expectNone { try await profile(of: alice.user, core) }
            let again = try await core.player("alice")
            #expect(try await profile(of: alice.user, core).subject == "alice")
            try await holder(again).run(LogOut())
            await expectNone { try await profile(of: alice.user, core) }
            // A mapping brings a profile, too, with the session that maps.
            let bob = try await core.player("bob", .twitter, on: "tablet")
            _ = try await bob.addMapping(.naver, of: "bob")
            #expect(try await profile(of: bob.user, core).subject == "bob")
            core.clock.advance(seconds: 90 * 86_400 - 1)
            #expect(try await profile(of: bob.user, core).subject == "bob")
            core.clock.advance(seconds: 1)
            await expectNone { try await profile(of: bob.user, core) }
        }
    }

    @Test("INFO-4, LOGIN-9: no profile of a banned member is told, and none where the app keeps none")
    func withheld() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            try await core.ban([alice.user])
            await expectNone { try await profile(of: alice.user, core) }
            #expect(try await profile(of: bob.user, core).subject == "bob")
            var configuration = ProviderConfiguration(kind: .naver, clientIds: ["client"])
            configuration.acceptsUnboundTokens = true
            configuration.keepsProfile = false
            try await core.operator().run(SaveIdentityProvider(provider: .naver, configuration: configuration))
            await expectNone { try await profile(of: bob.user, core) }
            let carol = try await core.player("carol", on: "console")
            await expectNone { try await profile(of: carol.user, core) }
        }
    }

    @Test("INFO-2, LOGIN-9: a player is told the profile by the session whose login has brought it")
    func own() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            core.clock.advance(seconds: 1)
            _ = try await holder(tablet).run(LogInWithLastProvider())
            #expect(try await profile(by: phone).subject == "alice")
            await expectNone { try await profile(by: tablet) }
            await expectNone { try await profile(by: phone, .twitter) }
            try await holder(phone).run(LogOut())
            #expect(await refusal { try await profile(by: phone) }?.reason == .loggedOut)
        }
    }

    @Test("INFO-4: by an access token a game server is told the profile of that token's own session and provider")
    func byToken() async throws {
        try await TestCore.open { core in
            let (phone, tablet) = (try await core.player("alice"), try await core.player("alice", on: "tablet"))
            @Sendable func read(_ player: Player, _ provider: Provider = .naver) async throws -> ProviderProfile {
                let token = TokenCheckRequest(accessToken: player.login.session.accessToken)
                return try await core.gameServer([.profile]).run(ReadProfileByToken(token: token, provider: provider))
            }
            #expect(try await read(phone).subject == "alice")
            #expect(await code { try await read(phone, .twitter) } == .invalidParameter)
            core.clock.advance(seconds: 1)
            _ = try await holder(tablet).run(LogInWithLastProvider())
            await expectNone { try await read(tablet) }
            try await holder(phone).run(LogOut())
            #expect(await refusal { try await read(phone) }?.reason == .loggedOut)
        }
    }
}

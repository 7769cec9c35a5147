import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

@Suite struct LoginActionTests {
    @Test(
        "LOGIN-1, LOGIN-4: a guest's first login makes the member, and every later one returns it",
        arguments: Engine.available)
    func guests(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let new = try await core.guest("phone")
            #expect(new.user.rawValue.count == UserID.length)
            #expect(new.user.rawValue.allSatisfy { UserID.alphabet.contains($0) })
            #expect(new.login.member.mappings.map(\.provider) == [.guest])
            #expect(new.login.member.mappings.map(\.subject) == [new.device.key.rawValue])
            let returning = try await core.guest("phone")
            let other = try await core.guest("tablet")
            #expect(returning.user == new.user)
            #expect(other.user != new.user)
            #expect(try await core.history(of: new.user) == [.memberCreated])
            #expect(core.callLog.events == ["member.created", "member.logged-in", "member.created"])
        }
    }

    @Test("IDP-2, LOGIN-4: a person is the same member on every device, and another one at another provider")
    func persons() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice", .naver, on: "phone")
            #expect(try await core.player("alice", .naver, on: "tablet").user == alice.user)
            #expect(try await core.player("alice", .twitter, on: "phone").user != alice.user)
            #expect(try await core.player("bob", .naver, on: "phone").user != alice.user)
        }
    }

    @Test("LOGIN-2: a refused token ends with 3201, and a provider that the app has not with 3202")
    func refusedCredentials() async throws {
        try await TestCore.open { core in
            let device = core.device("phone")
            let wrong = Credential(provider: .naver, accessToken: "wrong")
            #expect(await code { try await device.logIn(wrong) } == .authIDPLoginFailed)
            for provider in ["google", "Guest", "", "guest ", "../guest"].map(Provider.init) {
                let unknown = FakePeople.credential(provider, of: "alice")
                #expect(await code { try await device.logIn(unknown) } == .authIDPLoginInvalidIDPInfo)
            }
            #expect(core.callLog.counts[.memberCreated] == nil && core.callLog.counts[.loggedIn] == nil)
        }
    }

    @Test("IDP-1: a provider's token that one device has used is refused on another, and accepted again on its own")
    func usedToken() async throws {
        try await TestCore.open { core in
            let credential = FakePeople.credential(.naver, of: "alice")
            let first = try await core.device("phone").logIn(credential)
            let stolen = await refusal { try await core.device("tablet").logIn(credential) }
            #expect(stolen?.code == .authIDPLoginFailed)
            #expect(stolen?.reason == .credentialRejected)
            #expect(try await core.device("phone").logIn(credential).user == first.user)
        }
    }

    @Test("START-3: while the app is out of service logins end with 3701, and a test device passes")
    func maintenance() async throws {
        try await TestCore.open { core in
            try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
            #expect(await code { try await core.guest("phone") } == .authNotPlayable)
            try await core.operator().run(AddTestDevice(key: core.device("tester").key, note: "ours"))
            #expect(try await core.guest("tester").login.standing.isPlayable)
        }
    }

    @Test("LOGIN-8: the last provider continues the session, for the member that it belongs to now")
    func lastProvider() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            core.clock.advance(days: 30)
            let resumed = try await alice.device.holder(of: alice.login.session.refreshToken)
                .run(LogInWithLastProvider())
            #expect(resumed.member.userId == alice.user)
            #expect(resumed.provider == .naver)
            #expect(resumed.session.sessionExpiryDate > alice.login.session.sessionExpiryDate)
            #expect(resumed.member.lastLoginDate == core.clock.now.milliseconds)
        }
    }

    @Test("LOGIN-8, SES-2: a refresh token is refused without its device's key, after the logout, and when unknown")
    func refusedTokens() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let token = guest.login.session.refreshToken
            let thief = core.device("tablet").holder(of: token)
            #expect(await code { try await thief.run(LogInWithLastProvider()) } == .authTokenLoginInvalidTokenInfo)
            let owner = guest.device.holder(of: token)
            #expect(try await owner.run(LogInWithLastProvider()).member.userId == guest.user)
            let good = try #require(token).secretValue
            let flipped = String(good.dropLast()) + (good.hasSuffix("A") ? "E" : "A")
            let access = guest.login.session.accessToken.secretValue
            for text in ["none", "", "a.b", flipped, good.uppercased(), good + "A", access] {
                let nobody = guest.device.holder(of: RefreshToken(text))
                #expect(await code { try await nobody.run(LogInWithLastProvider()) } == .authTokenLoginInvalidTokenInfo)
            }
            _ = try await owner.run(LogOut())
            #expect(await code { try await owner.run(LogInWithLastProvider()) } == .authTokenLoginInvalidTokenInfo)
            #expect(try await core.operator().run(.liveSessions).count == 0)
        }
    }

    @Test("SES-7: a session ends after ninety days without use, and a refresh postpones that")
    func idleSession() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            let holder = guest.device.holder(of: guest.login.session.refreshToken)
            core.clock.advance(days: 89)
            let renewal = try await holder.run(RefreshSession())
            #expect(renewal.session.refreshToken == nil)
            core.clock.advance(days: 89)
            _ = try await holder.run(RefreshSession())
            core.clock.advance(days: 91)
            #expect(await code { try await holder.run(RefreshSession()) } == .authInvalidGatehouseToken)
        }
    }

    @Test("LOGOUT-1, LOGOUT-2, SES-5: a logout ends its own session once and no other, and changes no account")
    func logOut() async throws {
        try await TestCore.open { core in
            let phone = try await core.player("alice", on: "phone")
            let tablet = try await core.player("alice", on: "tablet")
            for _ in 1...2 { try await phone.device.holder(of: phone.login.session.refreshToken).run(LogOut()) }
            #expect(try await !phone.isLoggedIn)
            #expect(try await tablet.isLoggedIn)
            #expect(core.callLog.lines(.sessionEnded).map { $0.subject["userId"] } == [phone.user.rawValue])
            #expect(try await core.history(of: phone.user) == [.memberCreated])
            #expect(try await core.player("alice", on: "phone").user == phone.user)
        }
    }

    @Test("LOGIN-10, BAN-3: a banned member gets 7 with the ban, and no session")
    func banned() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest("phone")
            try await core.ban([guest.user], seconds: 3_600)
            let login = await refusal { try await core.guest("phone") }
            #expect(login?.code == .bannedMember)
            #expect(login?.details.ban != nil)
            let resuming = guest.device.holder(of: guest.login.session.refreshToken)
            let resumption = await refusal { try await resuming.run(LogInWithLastProvider()) }
            #expect(resumption?.code == .bannedMember)
            #expect(core.callLog.lines(.loggedIn).isEmpty)
        }
    }
}

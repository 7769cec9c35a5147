import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// Two apps of one server, and a device that plays both.
@Suite struct AppBoundaryTests {
    private static let other = AppID("other-game")

    private static func open(_ test: @escaping @Sendable (TestCore) async throws -> Void) async throws {
        try await TestCore.open { core in
            _ = try await core.actions.run(
                CreateApp(id: other, name: "Other"), by: .operator("operator"), in: .ofServer(moment: core.clock.now))
            _ = try await elsewhere(
                SetTransferPolicy { $0.transfer = TransferPolicy() }, by: .operator("mia", reason: "new"), core)
            try await test(core)
        }
    }

    /// Runs an action in the other app.
    @discardableResult
    private static func elsewhere<A: Action>(
        _ action: A, by actor: Actor, _ core: TestCore, once: CallIdentity = .never
    ) async throws -> A.Outcome {
        let view = try await core.actions.context(of: other, at: core.clock.now)
        let keys = try await core.services.directory.entry(other).keys
        return try await core.actions.run(
            action, by: actor, once: once, in: CallContext(app: view.app, moment: view.moment, keys: keys))
    }

    @Test("SES-9: the tokens of one app's session are nobody's in another app, and the session goes on")
    func tokens() async throws {
        try await Self.open { core in
            let guest = try await core.guest()
            let holder = guest.device.holder(of: guest.login.session.refreshToken).actor
            for refused in [
                await refusal { try await Self.elsewhere(RefreshSession(), by: holder, core) },
                await refusal { try await Self.elsewhere(LogOut(), by: holder, core) },
                await refusal { try await Self.elsewhere(LogInWithLastProvider(), by: holder, core) },
            ] {
                #expect(refused?.reason == .sessionUnknown)
            }
            #expect(try await guest.isLoggedIn)
            for node in [core, try core.restarted()] {
                let check = { (app: AppID) in
                    try await node.services.tokens.claims(
                        of: guest.login.session.accessToken, app: app, at: node.clock.now)
                }
                #expect(await refusal { try await check(Self.other) }?.reason == .tokenForeign)
                #expect(try await check(TestCore.app).user == guest.user)
                // The answer is the same when the token is known to be good elsewhere.
                #expect(await refusal { try await check(Self.other) }?.reason == .tokenForeign)
            }
        }
    }

    @Test("SES-9, SES-11: a device is another member in each app, and what one app decides of it concerns no other")
    func members() async throws {
        try await Self.open { core in
            let guest = try await core.guest()
            let device = guest.device.caller.actor
            let logIn = LogIn(credential: Credential(provider: .guest))
            let login = try await Self.elsewhere(logIn, by: device, core)
            let member = login.member
            let session = SessionID(
                String((login.session.refreshToken?.secretValue ?? "").prefix { $0 != "." }))
            #expect(await refusal { try await guest.run(EndOwnSession(session: session)) }?.reason == .sessionUnknown)
            #expect(member.userId != guest.user)
            #expect(member.appId == Self.other)
            let server = core.gameServer().actor
            let request = BanRequest(userIds: [guest.user], banType: .permanent, reason: "r", registeredBy: "game-1")
            let failed = try await Self.elsewhere(BanMembers(request: request), by: server, core).failedUserIds
            #expect(failed == [guest.user])
            let list = ListMemberSessions(request: MemberSessionsRequest(userId: guest.user))
            #expect(await code { try await Self.elsewhere(list, by: server, core) } == .authNotExistMember)
            let kickOut = KickOut(user: guest.user, message: [:])
            #expect(await code { try await Self.elsewhere(kickOut, by: server, core) } == .authNotExistMember)
            try await Self.elsewhere(KickOut(user: nil, message: [:]), by: server, core)
            #expect(try await guest.isLoggedIn)
            try await core.ban([guest.user])
            #expect(try await Self.elsewhere(logIn, by: device, core).member.userId == member.userId)
        }
    }

    @Test("SES-9: a transfer account, a transfer key and an idempotency key of one app are unknown in another")
    func keys() async throws {
        try await Self.open { core in
            let guest = try await core.guest()
            let account = try await guest.run(IssueTransferAccount())
            let key = try await guest.run(IssueTransferKey(request: TransferKeyRequest(validSeconds: 600)))
            let tablet = core.device("tablet")
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            let redeem = RedeemTransferAccount(redemption: redemption)
            let useKey = RedeemTransferKey(redemption: TransferKeyRedemption(transferKey: key.transferKey))
            let foreign = await code { try await Self.elsewhere(redeem, by: tablet.caller.actor, core) }
            #expect(foreign == .authTransferAccountInvalidID)
            let foreignKey = await code { try await Self.elsewhere(useKey, by: tablet.caller.actor, core) }
            #expect(foreignKey == .authTransferKeyNotExist)
            #expect(try await guest.isLoggedIn)

            let logIn = LogIn(credential: Credential(provider: .guest))
            let here = try await tablet.caller.run(logIn, once: "once")
            let once = CallIdentity(
                call: Idempotency.Call(app: Self.other, key: "once", requestHash: Array("LogIn".utf8)),
                owner: .device(tablet.key))
            let there = try await Self.elsewhere(logIn, by: tablet.caller.actor, core, once: once)
            #expect(there.member.userId != here.member.userId)
            #expect(there.member.appId == Self.other)
        }
    }

    @Test("INP-6: an app's id has 1 to 32 letters, digits, - or _, and nothing that a path could mean")
    func ids() {
        for id in ["a", "Game_1-b", "0", String(repeating: "a", count: 32)] {
            #expect(AppRules.isID(AppID(id)), "\(id)")
        }
        for id in ["", String(repeating: "a", count: 33), ".", "..", "a.b", "a/b", "a\\b", "a b", "a%2f", "ä", "a\0"] {
            #expect(!AppRules.isID(AppID(id)), "\(id)")
        }
    }

    @Test("INP-1: an id without an app is remembered for a second, so that inventing ids costs no queries")
    func unknownApps() async throws {
        try await TestCore.open { core in
            let entry = { try await core.services.directory.entry(Self.other).app.id }
            #expect(await code { try await entry() } == .launchingUnregisteredApp)
            // Another node's app is found within a second, and this node's at once.
            _ = try await core.restarted().actions.run(
                CreateApp(id: Self.other, name: "Other"), by: .operator("operator"),
                in: .ofServer(moment: core.clock.now))
            #expect(await code { try await entry() } == .launchingUnregisteredApp)
            core.clock.advance(seconds: 1)
            #expect(try await entry() == Self.other)

            let third = AppID("third")
            let own = { try await core.services.directory.entry(third).app.id }
            #expect(await code { try await own() } == .launchingUnregisteredApp)
            _ = try await core.actions.run(
                CreateApp(id: third, name: "Third"), by: .operator("operator"), in: .ofServer(moment: core.clock.now))
            #expect(try await own() == third)
        }
    }
}

import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What a game is told of its app and of its player, before and with a login.
@Suite struct StandingRuleTests {
    @Test("START-2: the launching information needs no login, and each status has its reason and its actions")
    func statuses() async throws {
        try await TestCore.open { core in
            let rows: [(LaunchingStatus, StandingReason, [StandingAction])] = [
                (.inService, .good, [.play]), (.inBeta, .good, [.play]),
                (.recommendUpdate, .updateRecommended, [.play, .update]),
                (.requireUpdate, .updateRequired, [.update]), (.terminated, .terminated, []),
                (.maintenance, .maintenance, [.wait]), (.maintenanceOfAllServices, .maintenance, [.wait]),
            ]
            let nobody = Caller(core: core, actor: Actor(principal: .anyone(nil), door: .httpAPI))
            for (status, reason, actions) in rows {
                try await core.operator().run(SetStatus(status: status, message: [:]))
                let information = try await nobody.run(ReadLaunchingInformation())
                #expect(information.status == status)
                #expect(information.isPlayable == actions.contains(.play))
                #expect(Set(information.providers.keys) == [.guest, .naver, .twitter])
                let view = try await core.context()
                let standing = StandingRules.standing(status: status, member: .normal, view)
                #expect(standing.reason == reason)
                #expect(standing.actions == actions)
                #expect(standing.isPlayable == actions.contains(.play))
            }
        }
    }

    @Test("START-3: out of service every login ends with 3701 and the status, and the heartbeat tells a player of it")
    func logins() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let holder = guest.device.holder(of: guest.login.session.refreshToken)
            for status in [
                LaunchingStatus.inService, .recommendUpdate, .inTest, .inReview, .inBeta, .requireUpdate, .terminated,
                .maintenance, .maintenanceOfAllServices,
            ] {
                try await core.operator().run(SetStatus(status: status, message: ["en": "Closed."]))
                for refused in [
                    await refusal { try await core.guest() },
                    await refusal { try await core.guest("new\(status.rawValue)") },
                    await refusal { try await holder.run(LogInWithLastProvider()) },
                ] {
                    #expect((refused == nil) == status.isPlayable, "\(status)")
                    guard let refused else { continue }
                    #expect(refused.code == .authNotPlayable && refused.status == 503)
                    #expect(refused.message == "Closed.")
                    #expect(refused.details.launchingStatus == status)
                }
                let standing = try await guest.run(SendHeartbeat()).standing
                #expect(standing.isPlayable == status.isPlayable)
                #expect(standing.launchingStatus == status)
                #expect(standing.actions.contains(.secureGuest) == status.isPlayable)
            }
        }
    }

    @Test("START-3: out of service nobody maps, forces a mapping, changes the login or moves a guest; all else goes on")
    func changes() async throws {
        try await TestCore.open { core in
            _ = try await core.player("alice", .twitter, on: "tablet")
            let guest = try await core.guest()
            let ticket = try #require(try await guest.ticket(for: .twitter, of: "alice"))
            let account = try await guest.run(IssueTransferAccount())
            let redemption = TransferRedemption(id: account.id, password: try #require(account.password))
            let redeem = { try await core.device("new").caller.run(RedeemTransferAccount(redemption: redemption)) }
            try await core.operator().run(SetStatus(status: .maintenance, message: ["en": "Closed."]))
            for refused in [
                await refusal { try await guest.addMapping(.naver, of: "bob") },
                await refusal { try await guest.run(ForceMapping(ticket: ticket)) },
                await refusal { try await guest.run(ChangeLogin(ticket: ticket)) },
                await refusal { try await redeem() },
            ] {
                #expect(refused?.code == .authNotPlayable)
                #expect(refused?.message == "Closed.")
            }
            _ = try await guest.run(RequestWithdrawal())
            _ = try await guest.run(CancelWithdrawal())
            try await core.operator().run(SetStatus(status: .inService, message: [:]))
            _ = try await guest.run(ChangeLogin(ticket: ticket))
            _ = try await redeem()
        }
    }

    @Test("START-3: a registered test device passes, and only it, until it is removed")
    func testDevice() async throws {
        try await TestCore.open { core in
            let tester = core.device("tester")
            try await core.operator().run(SetStatus(status: .maintenance, message: [:]))
            try await core.operator().run(AddTestDevice(key: tester.key, note: "ours"))
            func status(_ key: KeyThumbprint?) async throws -> LaunchingStatus {
                try await Caller(core: core, actor: Actor(principal: .anyone(key), door: .httpAPI))
                    .run(ReadLaunchingInformation()).status
            }
            #expect(try await status(tester.key) == .inServiceForTestDevices)
            for key in [nil, core.device("phone").key] { #expect(try await status(key) == .maintenance) }
            #expect(try await tester.logIn().login.standing.launchingStatus == .inServiceForTestDevices)
            #expect(await code { try await core.guest("phone") } == .authNotPlayable)
            try await core.operator().run(RemoveTestDevice(key: tester.key))
            #expect(await code { try await tester.logIn() } == .authNotPlayable)
        }
    }

    @Test("START-2, START-3: a maintenance counts from its first second until its last, and for no one after it")
    func maintenance() async throws {
        try await TestCore.open { core in
            let (begin, end) = (core.clock.now.adding(seconds: 60), core.clock.now.adding(seconds: 120))
            try await core.operator().run(
                PlanMaintenance(begin: begin, end: end, message: ["en": "Soon."], url: nil, reason: nil))
            let guest = try await core.guest()
            func status() async throws -> LaunchingStatus {
                try await guest.device.caller.run(ReadLaunchingInformation()).status
            }
            let announced = try await guest.device.caller.run(ReadLaunchingInformation())
            #expect(announced.maintenance?.beginDate == begin.milliseconds && announced.message == nil)
            core.clock.advance(seconds: 59)
            #expect(try await status() == .inService)
            #expect(try await core.guest().user == guest.user)
            core.clock.advance(seconds: 1)
            #expect(try await status() == .maintenance)
            let refused = await refusal { try await core.guest() }
            #expect(refused?.code == .authNotPlayable)
            #expect(refused?.details.standing?.untilDate == end.milliseconds)
            #expect(refused?.message == "Soon.")
            let standing = try await guest.run(SendHeartbeat()).standing
            #expect(standing.reason == .maintenance && standing.actions == [.wait])
            #expect(standing.untilDate == end.milliseconds && standing.message == "Soon.")
            #expect(refused?.details.maintenance?.endDate == end.milliseconds)
            #expect(await code { try await guest.addMapping(.naver, of: "alice") } == .authNotPlayable)
            core.clock.advance(seconds: 59)
            #expect(await code { try await core.guest() } == .authNotPlayable)
            core.clock.advance(seconds: 1)
            #expect(try await status() == .inService)
            #expect(try await guest.addMapping(.naver, of: "alice").standing.reason == .good)
        }
    }

    @Test("LOGIN-11, INFO-1: a login tells the member, the session with its deadlines, and what the player may do")
    func login() async throws {
        try await TestCore.open { core in
            let begin = core.clock.now.milliseconds
            let guest = try await core.guest().login
            #expect(guest.provider == .guest)
            #expect(guest.member.appId == TestCore.app)
            #expect(guest.member.status == .normal)
            #expect(guest.member.registrationDate == begin && guest.member.lastLoginDate == begin)
            #expect(guest.session.accessTokenExpiryDate == core.clock.in(seconds: 3_600))
            #expect(guest.session.sessionExpiryDate == core.clock.in(seconds: 90 * 86_400))
            #expect(guest.serverDate == begin)
            #expect(guest.standing.actions == [.play, .secureGuest])
            core.clock.advance(seconds: 60)
            let again = try await core.guest().login
            #expect(again.member.userId == guest.member.userId)
            #expect(again.member.registrationDate == begin && again.member.lastLoginDate == begin + 60_000)

            let alice = try await core.player("alice", on: "tablet")
            #expect(alice.login.standing.reason == .good)
            #expect(alice.login.standing.actions == [.play])
            let pending = try await alice.run(RequestWithdrawal())
            #expect(pending.standing.reason == .withdrawalPending)
            #expect(pending.standing.untilDate == core.clock.in(seconds: 7 * 86_400))
            #expect(pending.standing.actions == [.play, .cancelWithdrawal])
            let login = try await core.player("alice", on: "tablet").login
            #expect(login.member.temporaryWithdrawal?.gracePeriodDate == pending.standing.untilDate)
            #expect(login.standing.reason == .withdrawalPending)
        }
    }

    @Test("LOGIN-10, INFO-1: a banned member is told until when, and can wait only for a ban that ends")
    func banned() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            try await core.ban([alice.user], seconds: 60)
            try await core.ban([bob.user])
            let temporary = await refusal { try await core.player("alice") }?.details.standing
            #expect(temporary?.reason == .banned && temporary?.isPlayable == false)
            #expect(temporary?.untilDate == core.clock.in(seconds: 60))
            #expect(temporary?.actions == [.wait, .contactSupport])
            let permanent = await refusal { try await core.player("bob", on: "tablet") }?.details.standing
            #expect(permanent?.untilDate == nil)
            #expect(permanent?.actions == [.contactSupport])
        }
    }
}

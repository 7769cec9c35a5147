import GatehouseSecurity
import GatehouseServerWire
import GatehouseWire
import Testing

@testable import GatehouseCore

/// What a game is told of its app and of its player, before and with a login.
@Suite struct StandingRuleTests {
    @Test("START-2: the launching information needs no login, and each status has its reason and its actions")
    func statuses() async throws {
        try await Desk.open { desk in
            let rows: [(LaunchingStatus, StandingReason, [StandingAction])] = [
                (.inService, .good, [.play]), (.inBeta, .good, [.play]),
                (.recommendUpdate, .updateRecommended, [.play, .update]),
                (.requireUpdate, .updateRequired, [.update]), (.terminated, .terminated, []),
                (.maintenance, .maintenance, [.wait]), (.maintenanceOfAllServices, .maintenance, [.wait]),
            ]
            let nobody = Caller(desk: desk, actor: Actor(principal: .anyone(nil), door: .httpAPI))
            for (status, reason, actions) in rows {
                try await desk.operator().run(SetStatus(status: status, message: [:]))
                let information = try await nobody.run(ReadLaunchingInformation())
                #expect(information.status == status)
                #expect(information.isPlayable == actions.contains(.play))
                #expect(Set(information.providers.keys) == [.guest, .naver, .twitter])
                let view = try await desk.context().view
                let standing = StandingRules.standing(status: status, member: .normal, view)
                #expect(standing.reason == reason)
                #expect(standing.actions == actions)
                #expect(standing.isPlayable == actions.contains(.play))
            }
        }
    }

    @Test("START-2, START-3: a maintenance counts from its first second until its last, and for no one after it")
    func maintenance() async throws {
        try await Desk.open { desk in
            let (begin, end) = (desk.clock.now.adding(seconds: 60), desk.clock.now.adding(seconds: 120))
            try await desk.operator().run(
                SetMaintenance(begin: begin, end: end, message: ["en": "Soon."], url: nil, reason: nil))
            let guest = try await desk.guest()
            func status() async throws -> LaunchingStatus {
                try await guest.device.caller.run(ReadLaunchingInformation()).status
            }
            desk.clock.advance(seconds: 59)
            #expect(try await status() == .inService)
            #expect(try await desk.guest().user == guest.user)
            desk.clock.advance(seconds: 1)
            #expect(try await status() == .maintenance)
            let refused = await refusal { try await desk.guest() }
            #expect(refused?.code == .authNotPlayable)
            #expect(refused?.details.standing?.untilDate == end.milliseconds)
            #expect(refused?.details.maintenance?.endDate == end.milliseconds)
            #expect(await code { try await guest.addMapping(.naver, of: "alice") } == .authNotPlayable)
            desk.clock.advance(seconds: 59)
            #expect(await code { try await desk.guest() } == .authNotPlayable)
            desk.clock.advance(seconds: 1)
            #expect(try await status() == .inService)
            #expect(try await guest.addMapping(.naver, of: "alice").standing.reason == .good)
        }
    }

    @Test("LOGIN-11, INFO-1: a login tells the member, the session with its deadlines, and what the player may do")
    func login() async throws {
        try await Desk.open { desk in
            let begin = desk.clock.now.milliseconds
            let guest = try await desk.guest().login
            #expect(guest.provider == .guest)
            #expect(guest.member.appId == Desk.app)
            #expect(guest.member.status == .normal)
            #expect(guest.member.registrationDate == begin && guest.member.lastLoginDate == begin)
            #expect(guest.session.accessTokenExpiryDate == desk.clock.in(seconds: 3_600))
            #expect(guest.session.sessionExpiryDate == desk.clock.in(seconds: 90 * 86_400))
            #expect(guest.serverDate == begin)
            #expect(guest.standing.actions == [.play, .secureGuest])
            desk.clock.advance(seconds: 60)
            let again = try await desk.guest().login
            #expect(again.member.userId == guest.member.userId)
            #expect(again.member.registrationDate == begin && again.member.lastLoginDate == begin + 60_000)

            let alice = try await desk.player("alice", on: "tablet")
            #expect(alice.login.standing.reason == .good)
            #expect(alice.login.standing.actions == [.play])
            let pending = try await alice.run(RequestWithdrawal())
            #expect(pending.standing.reason == .withdrawalPending)
            #expect(pending.standing.untilDate == desk.clock.in(seconds: 7 * 86_400))
            #expect(pending.standing.actions == [.play, .cancelWithdrawal])
            let login = try await desk.player("alice", on: "tablet").login
            #expect(login.member.temporaryWithdrawal?.gracePeriodDate == pending.standing.untilDate)
            #expect(login.standing.reason == .withdrawalPending)
        }
    }

    @Test("LOGIN-10, INFO-1: a banned member is told until when, and can wait only for a ban that ends")
    func banned() async throws {
        try await Desk.open { desk in
            let (alice, bob) = (try await desk.player("alice"), try await desk.player("bob", on: "tablet"))
            try await desk.ban([alice.user], seconds: 60)
            try await desk.ban([bob.user])
            let temporary = await refusal { try await desk.player("alice") }?.details.standing
            #expect(temporary?.reason == .banned && temporary?.isPlayable == false)
            #expect(temporary?.untilDate == desk.clock.in(seconds: 60))
            #expect(temporary?.actions == [.wait, .contactSupport])
            let permanent = await refusal { try await desk.player("bob", on: "tablet") }?.details.standing
            #expect(permanent?.untilDate == nil)
            #expect(permanent?.actions == [.contactSupport])
        }
    }
}

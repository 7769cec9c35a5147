import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

@Suite struct GraceBanActionTests {
    @Test("BAN-4: payments that meet the condition release a grace ban; each payment counts once, in its currency")
    func payments() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            // Earlier payments do not count.
            #expect(try await core.pay(alice.user, "early", 50_000).graceBan == nil)
            try await core.graceBan(alice.user)
            let login = try await core.player("alice").login
            #expect(login.standing.isPlayable && login.standing.reason == .graceBanned)
            #expect(login.standing.actions == [.play, .settleGraceBan, .contactSupport])
            #expect(login.member.graceBan?.message == "Pay.")
            #expect(login.member.graceBan?.paymentStatus == PaymentStatus(amount: 0, count: 0, currency: "EUR"))
            #expect(try await alice.isLoggedIn)
            let first = try await core.pay(alice.user, "p1", 9)
            #expect(first.graceBan?.paymentStatus == PaymentStatus(amount: 9, count: 1, currency: "EUR"))
            #expect(try await !core.pay(alice.user, "p1", 9).isNew)
            #expect(try await !core.pay(alice.user, "p2", 9, in: "USD").releasesGraceBan)
            let last = try await core.pay(alice.user, "p3", 1)
            #expect(last.releasesGraceBan)
            #expect(try await core.member(alice.user).status == .normal)
            core.clock.advance(days: 2)
            try await core.sweep()
            #expect(try await core.player("alice").user == alice.user)
            #expect(try await core.history(of: alice.user) == [.memberCreated, .graceBanned, .graceBanReleased])
        }
    }

    @Test(
        "BAN-4: a deadline that passes unmet is a permanent ban, by the sweeper or by whoever comes first",
        arguments: Engine.available)
    func lapsed(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let (swept, met) = (try await core.player("swept", on: "tablet"), try await core.player("met"))
            for player in [swept, met] { try await core.graceBan(player.user, in: 3_000) }
            core.clock.advance(seconds: 3_000)
            let refusal = await refusal { try await core.player("met") }
            #expect(refusal?.code == .bannedMember)
            #expect(refusal?.message == "Pay." && refusal?.details.ban?.banType == .permanent)
            // A live session ends at that moment, whether or not the change was already made.
            #expect(await swept.sessionEnd == .banned)
            try await core.sweep()
            for player in [swept, met] {
                #expect(try await core.member(player.user).status == .banned)
                #expect(try await core.history(of: player.user) == [.memberCreated, .graceBanned, .banned])
                #expect(await player.sessionEnd == .banned)
            }
            // The payment comes too late.
            #expect(try await !core.pay(swept.user, "late", 1_000_000).releasesGraceBan)
        }
    }

    @Test(
        "BAN-4: AND asks for both, OR for one; what is not asked for does not count",
        arguments: [
            (ConditionType.and, 100.0, 2, [(100.0, false), (0.0, true)]), (.or, 100.0, 2, [(1.0, false), (1.0, true)]),
            (.or, 100.0, 5, [(100.0, true)]), (.and, 0.0, 2, [(0.0, false), (0.0, true)]),
            (.and, 100.0, 0, [(99.9999, false), (0.0001, true)]), (.or, 100.0, 0, [(1.0, false), (99.0, true)]),
        ])
    func conditions(type: ConditionType, amount: Double, count: Int, payments: [(Double, Bool)]) async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            try await core.graceBan(guest.user, amount: amount, count: count, type)
            for (number, payment) in payments.enumerated() {
                #expect(try await core.pay(guest.user, "p\(number)", payment.0).releasesGraceBan == payment.1)
            }
        }
    }

    @Test("BAN-4: what can't be a grace ban or a payment is refused, and writes nothing")
    func refusals() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let graceBan = GraceBan(
                gracePeriodDate: core.clock.in(seconds: 60), message: "Pay.",
                paymentStatus: PaymentStatus(amount: 0, count: 0, currency: "EUR"),
                releaseRuleCondition: ReleaseRuleCondition(
                    amount: 10, count: 2, currency: "EUR", conditionType: .and))
            func register(
                by caller: Caller, _ change: (inout GraceBanRequest) -> Void = { _ in }
            ) async -> ErrorCode? {
                var request = GraceBanRequest(userId: alice.user, graceBan: graceBan, registeredBy: "billing")
                change(&request)
                return await code { [request] in try await caller.run(BeginGraceBan(request: request)) }
            }
            let wrong: [(inout GraceBanRequest) -> Void] = [
                { $0.graceBan.gracePeriodDate = 0 }, { $0.graceBan.message = "" },
                { $0.graceBan.releaseRuleCondition.amount = -1 }, { $0.graceBan.releaseRuleCondition.amount = 1e300 },
                { $0.graceBan.releaseRuleCondition.count = -1 }, { $0.graceBan.releaseRuleCondition.currency = "won" },
                { $0.graceBan.releaseRuleCondition.conditionType = ConditionType("XOR") },
                { request in
                    request.graceBan.releaseRuleCondition.amount = 0
                    request.graceBan.releaseRuleCondition.count = 0
                },
            ]
            for change in wrong { #expect(await register(by: core.gameServer(), change) == .invalidParameter) }
            #expect(await register(by: core.gameServer(name: "")) == .invalidParameter)
            #expect(await register(by: core.operator(reason: "")) == .invalidParameter)
            let nobody = UserID("AAAAAAAAAAAAAAAA")
            #expect(await register(by: core.gameServer()) { $0.userId = nobody } == .authNotExistMember)
            #expect(try await core.history(of: alice.user) == [.memberCreated])
            let release = ReleaseGraceBan(user: alice.user)
            #expect(await code { try await core.gameServer().run(release) } == .invalidParameter)
            for (id, amount, currency) in [("", 1.0, "EUR"), ("p", -1.0, "EUR"), ("p", 1.0, ""), ("p", 1e300, "EUR")] {
                #expect(await code { try await core.pay(alice.user, id, amount, in: currency) } == .invalidParameter)
            }
            #expect(try await core.count("SELECT COUNT(*) FROM payments") == 0)
        }
    }

    @Test("BAN-4: a member has one grace ban, and none while it is banned; a release ends it without a ban")
    func oneGraceBan() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.graceBan(alice.user)
            #expect(await code { try await core.graceBan(alice.user) } == .invalidParameter)
            _ = try await core.gameServer().run(ReleaseGraceBan(user: alice.user))
            #expect(try await core.member(alice.user).status == .normal)
            try await core.ban([alice.user])
            #expect(await code { try await core.graceBan(alice.user) } == .bannedMember)
        }
    }

    @Test("BAN-4: until the last second of its deadline a grace ban lets the player play and pay")
    func lastSecond() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            for user in [alice.user, bob.user] { try await core.graceBan(user, amount: 5, count: 1) }
            core.clock.advance(seconds: 86_399)
            let standing = try await core.player("bob", on: "tablet").login.standing
            #expect(standing.isPlayable && standing.reason == .graceBanned)
            #expect(try await core.pay(alice.user, "p1", 5).releasesGraceBan)
            core.clock.advance(seconds: 1)
            #expect(try await core.player("alice").login.standing.reason == .good)
            #expect(await code { try await core.player("bob", on: "tablet") } == .bannedMember)
        }
    }

    // MARK: What operators see

    @Test("BAN-4: an operator registers a grace ban, sees how far its member has come, and cancels it")
    func progress() async throws {
        try await TestCore.open { core in
            let guest = try await core.guest()
            let graceBan = GraceBan(
                gracePeriodDate: core.clock.in(seconds: 60), message: "Pay.",
                paymentStatus: PaymentStatus(amount: 0, count: 0, currency: "EUR"),
                releaseRuleCondition: ReleaseRuleCondition(
                    amount: 10_000, count: 2, currency: "EUR", conditionType: .and))
            let request = GraceBanRequest(userId: guest.user, graceBan: graceBan, registeredBy: "operator")
            _ = try await core.operator(reason: "4711").run(BeginGraceBan(request: request))
            try await core.pay(guest.user, "p1", 9_999.5)
            let record = try #require(try await core.operator().run(.graceBans()).first)
            #expect(record.user == guest.user && record.isOpen && record.registeredBy == "mia")
            #expect(record.graceBan.paymentStatus == PaymentStatus(amount: 9_999.5, count: 1, currency: "EUR"))
            #expect(record.graceBan.releaseRuleCondition == graceBan.releaseRuleCondition)
            try await core.operator().run(ReleaseGraceBan(user: guest.user))
            #expect(try await core.member(guest.user).status == .normal)
            #expect(try await core.operator().run(.graceBans()).isEmpty)
            let released = try await core.operator().run(.graceBans(isOpen: false))
            #expect(released.map(\.outcome) == ["released"])
            #expect(try await core.records().map(\.event) == ["grace-ban.begun", "grace-ban.released"])
        }
    }

    @Test(
        "A list of grace bans has those that hold their members, newest first, and the others when asked for",
        arguments: Engine.available)
    func lists(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let begin = core.clock.now
            var users: [UserID] = []
            for number in 0..<4 {
                let guest = try await core.guest("phone\(number)")
                try await core.graceBan(guest.user, in: number == 0 ? 60 : 86_400)
                users.append(guest.user)
                core.clock.advance(seconds: 10)
            }
            // One was banned for another reason, and one has withdrawn: the grace ban is no longer in effect for either.
            try await core.ban([users[1]])
            try await core.operator().run(WithdrawMember(user: users[2]))
            func list(_ report: Read<[GraceBanRecord]>) async throws -> [UserID] {
                try await core.operator().run(report).map(\.user)
            }
            #expect(try await list(.graceBans()) == [users[3], users[0]])
            #expect(try await list(.graceBans(limit: 1)) == [users[3]])
            #expect(try await list(.graceBans(before: begin.adding(seconds: 5))) == [users[0]])
            core.clock.advance(seconds: 60)
            try await core.sweep()
            #expect(try await list(.graceBans()) == [users[3]])
            let all = try await core.operator().run(.graceBans(isOpen: false))
            #expect(all.map(\.user) == users.reversed())
            #expect(all.map(\.outcome) == [nil, nil, "banned", "banned"])
            #expect(all.map(\.isOpen) == [true, false, false, false])
            #expect(try await list(.graceBans(of: users[0], isOpen: false)).count == 1)
        }
    }
}

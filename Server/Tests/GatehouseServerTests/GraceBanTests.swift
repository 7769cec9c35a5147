import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct GraceBanTests {
    @Test(
        "BAN-4, LOGIN-11: the member plays on, each login tells of it, and payments count, each once",
        arguments: Engine.available)
    func payments(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let player = try await world.guestPlayer(device)
            // Earlier payments do not count.
            #expect(try await world.pay(player.user, "early", 50_000).graceBan == nil)
            let answer = try await world.call(server: Endpoints.registerGraceBan, world.graceBan(player.user))
            #expect(answer.status == 200)
            // On the wire the message is percent-encoded.
            #expect(answer.text.contains("Refund%3F%20Pay%20back%3A%2050%25"))
            let login = try await world.guest(device)
            #expect(login.member.status == .graceBanned)
            #expect(login.member.graceBan?.message == "Refund? Pay back: 50%")
            #expect(login.member.graceBan?.paymentStatus == PaymentStatus(amount: 0, count: 0, currency: "KRW"))
            #expect(login.standing.isPlayable)
            #expect(login.standing.reason == .graceBanned)
            #expect(login.standing.actions == [.play, .settleGraceBan, .contactSupport])
            #expect(try await world.heartbeat(device, player.access).status == 200)

            let first = try await world.pay(player.user, "p1", 9_999.5)
            #expect(first.isNew)
            #expect(first.graceBan?.paymentStatus == PaymentStatus(amount: 9_999.5, count: 1, currency: "KRW"))
            let again = try await world.pay(player.user, "p1", 9_999.5)
            #expect(!again.isNew)
            #expect(again.graceBan?.paymentStatus.count == 1)
            #expect(try await world.pay(player.user, "p2", 100, "USD").graceBan?.paymentStatus.count == 1)
            let met = try await world.pay(player.user, "p3", 0.5)
            #expect(met.releasesGraceBan)
            #expect(met.graceBan == nil)
            #expect(try await world.guest(device).member.status == .normal)
            #expect(
                try await world.history(player.user) == ["member.created", "member.grace-banned", "grace-ban.released"])
            world.clock.advance(seconds: 2 * 86_400)
            try await world.sweep()
            #expect(try await world.guest(device).member.status == .normal)
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
        try await World.open(on: .sqlite) { world in
            let player = try await world.guestPlayer()
            let request = world.graceBan(player.user, amount: amount, count: count, type)
            #expect(try await world.call(server: Endpoints.registerGraceBan, request).status == 200)
            for (number, payment) in payments.enumerated() {
                let outcome = try await world.pay(player.user, "p\(number)", payment.0)
                #expect(outcome.releasesGraceBan == payment.1)
            }
        }
    }

    @Test(
        "BAN-4: a deadline that passes unmet is a permanent ban, by the sweeper or by whoever comes first",
        arguments: Engine.available)
    func deadline(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let swept = try await world.guestPlayer()
            let met = try await world.guestPlayer()
            let alive = try await world.guestPlayer()
            for player in [swept, met, alive] {
                #expect(
                    try await world.call(server: Endpoints.registerGraceBan, world.graceBan(player.user, in: 3_000))
                        .status == 200)
            }
            world.clock.advance(seconds: 3_000)
            // A live session ends at that moment, whether or not the change was already made.
            #expect(try await world.heartbeat(alive.device, alive.access).reason == "banned")
            let login = try await world.logIn(met.device)
            #expect(login.code == 7)
            let ban = login.details?.ban
            #expect(ban?.banType == .permanent)
            #expect(ban?.message == "Refund? Pay back: 50%")
            try await world.sweep()
            for player in [swept, met, alive] {
                #expect(try await world.report(player.user).member.status == .banned)
                #expect(
                    try await world.history(player.user) == ["member.created", "member.grace-banned", "member.banned"])
                #expect(try await world.heartbeat(player.device, player.access).reason == "banned")
            }
            // The payment comes too late.
            #expect(try await !world.pay(swept.user, "late", 1_000_000).releasesGraceBan)
        }
    }

    @Test(
        "BAN-4: a game server releases it; and what can't be is refused with a code of the table",
        arguments: Engine.available)
    func releaseAndRefusals(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.guestPlayer()
            let release = GraceBanReleaseRequest(userId: player.user, reason: "paid by mail", registeredBy: "billing")
            #expect(try await world.call(server: Endpoints.releaseGraceBan, release).code == 3)
            let good = world.graceBan(player.user)
            for change: @Sendable (inout GraceBanRequest) -> Void in [
                { $0.graceBan.gracePeriodDate = 0 }, { $0.graceBan.message = "" },
                { $0.graceBan.releaseRuleCondition.amount = -1 }, { $0.graceBan.releaseRuleCondition.amount = 1e300 },
                { $0.graceBan.releaseRuleCondition.count = -1 }, { $0.graceBan.releaseRuleCondition.currency = "won" },
                { $0.graceBan.releaseRuleCondition.conditionType = ConditionType("XOR") }, { $0.registeredBy = "" },
                { request in
                    request.graceBan.releaseRuleCondition.amount = 0
                    request.graceBan.releaseRuleCondition.count = 0
                },
            ] {
                var bad = good
                change(&bad)
                #expect(try await world.call(server: Endpoints.registerGraceBan, bad).code == 3)
            }
            var unknown = good
            unknown.userId = UserID("AAAAAAAAAAAAAAAA")
            #expect(try await world.call(server: Endpoints.registerGraceBan, unknown).code == 3003)
            #expect(try await world.call(server: Endpoints.registerGraceBan, good).status == 200)
            #expect(try await world.call(server: Endpoints.registerGraceBan, good).code == 3)
            for (id, amount, currency) in [("", 1.0, "KRW"), ("p", -1.0, "KRW"), ("p", 1.0, ""), ("p", 1e300, "KRW")] {
                let report = PaymentReport(userId: player.user, paymentId: id, amount: amount, currency: currency)
                #expect(try await world.call(server: Endpoints.reportPayment, report).code == 3)
            }
            #expect(try await world.count("SELECT COUNT(*) FROM payments") == 0)
            #expect(try await world.call(server: Endpoints.releaseGraceBan, release).status == 200)
            #expect(try await world.report(player.user).member.status == .normal)
            _ = try await world.run(BanMembers([player.user], until: nil), reason: "x")
            #expect(try await world.call(server: Endpoints.registerGraceBan, good).code == 7)
        }
    }
}

extension World {
    func graceBan(
        _ user: UserID, in seconds: Int64 = 86_400, amount: Double = 10_000, count: Int = 2,
        _ type: ConditionType = .and
    ) -> GraceBanRequest {
        GraceBanRequest(
            userId: user,
            graceBan: GraceBan(
                gracePeriodDate: clock.now.adding(seconds: seconds).milliseconds, message: "Refund? Pay back: 50%",
                paymentStatus: PaymentStatus(amount: 99, count: 99, currency: "KRW"),
                releaseRuleCondition: ReleaseRuleCondition(
                    amount: amount, count: count, currency: "KRW", conditionType: type)),
            registeredBy: "billing")
    }

    func pay(_ user: UserID, _ id: String, _ amount: Double, _ currency: String = "KRW") async throws -> PaymentOutcome
    {
        try await call(
            server: Endpoints.reportPayment,
            PaymentReport(userId: user, paymentId: id, amount: amount, currency: currency)
        ).decoded(as: PaymentOutcome.self)
    }
}

import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

/// The calls of grace bans. Their rules are proven in `GraceBanActionTests`.
@Suite struct GraceBanTests {
    @Test("BAN-4: a game server begins a grace ban, reports a payment and releases it", arguments: Engine.ofDoors)
    func walk(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let device = TestDevice()
            let player = try await server.guestPlayer(device)
            let answer = try await server.call(gameServer: Endpoints.registerGraceBan, server.graceBan(player.user))
            #expect(answer.status == 200)
            // On the wire the message is percent-encoded.
            #expect(answer.text.contains("Refund%3F%20Pay%20back%3A%2050%25"))
            let login = try await server.guest(device)
            #expect(login.member.graceBan?.message == "Refund? Pay back: 50%")
            #expect(login.standing.actions == [.play, .settleGraceBan, .contactSupport])
            let payment = PaymentReport(userId: player.user, paymentId: "p1", amount: 9_999.5, currency: "KRW")
            let paid = try await server.call(gameServer: Endpoints.reportPayment, payment).decoded(
                as: PaymentOutcome.self)
            #expect(paid.isNew)
            #expect(paid.graceBan?.paymentStatus == PaymentStatus(amount: 9_999.5, count: 1, currency: "KRW"))
            let release = GraceBanReleaseRequest(userId: player.user, reason: "paid by mail", registeredBy: "billing")
            #expect(try await server.call(gameServer: Endpoints.releaseGraceBan, release).status == 200)
            #expect(try await server.call(gameServer: Endpoints.releaseGraceBan, release).code == 3)
            #expect(try await server.guest(device).member.graceBan == nil)
        }
    }
}

extension TestServer {
    func graceBan(_ user: UserID) -> GraceBanRequest {
        GraceBanRequest(
            userId: user,
            graceBan: GraceBan(
                gracePeriodDate: clock.now.adding(seconds: 86_400).milliseconds, message: "Refund? Pay back: 50%",
                paymentStatus: PaymentStatus(amount: 99, count: 99, currency: "KRW"),
                releaseRuleCondition: ReleaseRuleCondition(
                    amount: 10_000, count: 2, currency: "KRW", conditionType: .and)), registeredBy: "billing")
    }
}

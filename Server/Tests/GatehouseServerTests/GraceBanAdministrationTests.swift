import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@Suite struct GraceBanAdministrationTests {
    @Test(
        "BAN-4: an operator registers a grace ban, sees how far its member has come, and cancels it",
        arguments: Engine.available)
    func progress(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let device = TestDevice()
            let player = try await world.guestPlayer(device)
            let graceBan = world.graceBan(player.user).graceBan
            for (reason, deadline) in [("", graceBan.gracePeriodDate), ("r", world.clock.now.milliseconds)] {
                var wrong = graceBan
                wrong.gracePeriodDate = deadline
                let request = wrong
                await #expect(throws: Refusal.self) {
                    _ = try await world.run(
                        RegisterGraceBan(
                            request: GraceBanRequest(userId: player.user, graceBan: request, registeredBy: "operator")),
                        reason: reason)
                }
            }
            _ = try await world.run(
                RegisterGraceBan(
                    request: GraceBanRequest(userId: player.user, graceBan: graceBan, registeredBy: "operator")),
                reason: "4711")
            #expect(try await world.guest(device).standing.reason == .graceBanned)
            _ = try await world.pay(player.user, "p1", 9_999.5)
            let record = try #require(try await world.run(ListGraceBans()).first)
            #expect(record.user == player.user)
            #expect(record.isOpen)
            #expect(record.registeredBy == "operator")
            #expect(record.graceBan.paymentStatus == PaymentStatus(amount: 9_999.5, count: 1, currency: "KRW"))
            #expect(record.graceBan.releaseRuleCondition == graceBan.releaseRuleCondition)
            // Another registration does not replace it.
            await #expect(throws: Refusal.self) {
                _ = try await world.run(
                    RegisterGraceBan(
                        request: GraceBanRequest(userId: player.user, graceBan: graceBan, registeredBy: "operator")),
                    reason: "r")
            }
            try await world.run(ReleaseGraceBan(user: player.user), reason: "mistaken")
            await #expect(throws: Refusal.self) {
                try await world.run(ReleaseGraceBan(user: player.user), reason: "again")
            }
            #expect(try await world.guest(device).member.status == .normal)
            #expect(try await world.run(ListGraceBans()).isEmpty)
            let ended = try await world.run(ListGraceBans(isOpen: false))
            #expect(ended.map(\.outcome) == ["released"])
            let audit = try await world.database.read { tx in
                try tx.rows("SELECT event FROM audit_log WHERE user_id = \(player.user) ORDER BY audit_id") {
                    try $0[0] as String
                }
            }
            #expect(audit == ["member.grace-banned", "grace-ban.released"])
        }
    }

    @Test(
        "A list of grace bans has those that hold their members, newest first, and the others when asked for",
        arguments: Engine.available)
    func lists(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            var players: [Player] = []
            for number in 0..<4 {
                let player = try await world.guestPlayer()
                _ = try await world.run(
                    RegisterGraceBan(
                        request: GraceBanRequest(
                            userId: player.user,
                            graceBan: world.graceBan(player.user, in: number == 0 ? 60 : 86_400).graceBan,
                            registeredBy: "operator")), reason: "r")
                players.append(player)
                world.clock.advance(seconds: 10)
            }
            let users = players.map(\.user)
            // One was banned for another reason, and one has withdrawn: the grace ban is no longer in effect for either.
            _ = try await world.run(BanMembers([users[1]], until: nil), reason: "bot")
            try await world.run(WithdrawMember(user: users[2]), reason: "asked")
            #expect(try await world.run(ListGraceBans()).map(\.user) == [users[3], users[0]])
            #expect(try await world.run(ListGraceBans(limit: 1)).map(\.user) == [users[3]])
            let early = World.Clock.start.adding(seconds: 5)
            #expect(try await world.run(ListGraceBans(end: early)).map(\.user) == [users[0]])
            world.clock.advance(seconds: 60)
            try await world.sweep()
            #expect(try await world.run(ListGraceBans()).map(\.user) == [users[3]])
            let all = try await world.run(ListGraceBans(isOpen: false))
            #expect(all.map(\.user) == users.reversed())
            #expect(all.map(\.outcome) == [nil, nil, "banned", "banned"])
            #expect(all.map(\.isOpen) == [true, false, false, false])
            #expect(try await world.run(ListGraceBans(user: users[0], isOpen: false)).count == 1)
            #expect(try await world.run(ListGraceBans(isOpen: false), in: World.otherApp).isEmpty)
        }
    }
}

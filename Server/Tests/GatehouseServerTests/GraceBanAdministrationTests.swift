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
            let administration = world.administration
            let device = TestDevice()
            let player = try await world.guestPlayer(device)
            let graceBan = world.graceBan(player.user).graceBan
            for (reason, deadline) in [("", graceBan.gracePeriodDate), ("r", world.clock.now.milliseconds)] {
                var wrong = graceBan
                wrong.gracePeriodDate = deadline
                let request = wrong
                await #expect(throws: Refusal.self) {
                    _ = try await administration.registerGraceBan(
                        request, of: player.user, reason: reason, of: World.app)
                }
            }
            _ = try await administration.registerGraceBan(graceBan, of: player.user, reason: "4711", of: World.app)
            #expect(try await world.guest(device).standing.reason == .graceBanned)
            _ = try await world.pay(player.user, "p1", 9_999.5)
            let record = try #require(try await administration.graceBans(of: World.app).first)
            #expect(record.user == player.user)
            #expect(record.isOpen)
            #expect(record.registeredBy == "operator")
            #expect(record.graceBan.paymentStatus == PaymentStatus(amount: 9_999.5, count: 1, currency: "KRW"))
            #expect(record.graceBan.releaseRuleCondition == graceBan.releaseRuleCondition)
            // Another registration does not replace it.
            await #expect(throws: Refusal.self) {
                _ = try await administration.registerGraceBan(graceBan, of: player.user, reason: "r", of: World.app)
            }
            try await administration.cancelGraceBan(of: player.user, reason: "mistaken", of: World.app)
            await #expect(throws: Refusal.self) {
                try await administration.cancelGraceBan(of: player.user, reason: "again", of: World.app)
            }
            #expect(try await world.guest(device).member.status == .normal)
            #expect(try await administration.graceBans(of: World.app).isEmpty)
            let ended = try await administration.graceBans(of: World.app, isOpen: false)
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
            let administration = world.administration
            var players: [Player] = []
            for number in 0..<4 {
                let player = try await world.guestPlayer()
                _ = try await administration.registerGraceBan(
                    world.graceBan(player.user, in: number == 0 ? 60 : 86_400).graceBan, of: player.user, reason: "r",
                    of: World.app)
                players.append(player)
                world.clock.advance(seconds: 10)
            }
            let users = players.map(\.user)
            // One was banned for another reason, and one has withdrawn: the grace ban is no longer in effect for either.
            _ = try await administration.ban(users[1], until: nil, template: nil, reason: "bot", of: World.app)
            try await administration.withdraw(users[2], reason: "asked", of: World.app)
            #expect(try await administration.graceBans(of: World.app).map(\.user) == [users[3], users[0]])
            #expect(try await administration.graceBans(of: World.app, limit: 1).map(\.user) == [users[3]])
            let early = World.Clock.start.adding(seconds: 5)
            #expect(try await administration.graceBans(of: World.app, before: early).map(\.user) == [users[0]])
            world.clock.advance(seconds: 60)
            try await world.sweep()
            #expect(try await administration.graceBans(of: World.app).map(\.user) == [users[3]])
            let all = try await administration.graceBans(of: World.app, isOpen: false)
            #expect(all.map(\.user) == users.reversed())
            #expect(all.map(\.outcome) == [nil, nil, "banned", "banned"])
            #expect(all.map(\.isOpen) == [true, false, false, false])
            #expect(try await administration.graceBans(of: World.app, user: users[0], isOpen: false).count == 1)
            #expect(try await administration.graceBans(of: World.otherApp, isOpen: false).isEmpty)
        }
    }
}

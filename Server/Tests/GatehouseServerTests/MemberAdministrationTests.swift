import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import TestDatabases
import Testing

@Suite struct MemberAdministrationTests {
    @Test(
        "An operator lists members page by page, and finds one by user id and by identity", arguments: Engine.available)
    func listAndSearch(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let players = try await together(5) { number in try await world.logIn(.google, "alice-\(number)") }
            _ = try await world.guest(TestDevice(), app: World.otherApp)
            _ = try await world.run(BanMembers([players[0].user], until: nil), reason: "r")
            let first = try await world.run(ListMembers(limit: 3))
            let second = try await world.run(ListMembers(after: first.last?.userId, limit: 3))
            #expect(first.count == 3)
            #expect(second.count == 2)
            #expect(Set((first + second).map(\.userId)) == Set(players.map(\.user)))
            #expect(try await world.run(ListMembers(status: .banned)).map(\.userId) == [players[0].user])
            #expect(
                try await world.run(SearchMembers(text: "alice-3")).map(\.userId) == [players[3].user])
            #expect(try await world.run(SearchMembers(text: players[4].user.rawValue)).count == 1)
            #expect(
                try await world.run(SearchMembers(text: "google:alice-3")).map(\.userId) == [
                    players[3].user
                ])
            #expect(try await world.run(SearchMembers(text: "naver:alice-3")).isEmpty)
            let beginning = String(players[4].user.rawValue.prefix(4)).lowercased()
            #expect(
                try await Set(world.run(SearchMembers(text: beginning)).map(\.userId)).contains(
                    players[4].user))
            for nobody in ["", "alice", "' OR 1=1 --", "alice-3\u{1}"] {
                #expect(try await world.run(SearchMembers(text: nobody)).isEmpty)
            }
            #expect(try await world.run(ReadMemberReport(user: players[0].user)).ban?.reason == "r")
        }
    }

    @Test(
        "The ledger tells who did what, by which door and why, and holds nothing personal", arguments: Engine.available)
    func ledger(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.google, "alice-secret")
            world.clock.advance(seconds: 5)
            _ = try await world.run(
                BanMembers([player.user], until: world.clock.now.adding(seconds: 60)), reason: "rude")
            let entries = try await world.run(ReadHistory(user: player.user))
            #expect(entries.map(\.event.rawValue) == ["member.created", "member.banned"])
            #expect(entries[0].origin == Origin(actor: .player, door: .httpAPI))
            #expect(entries[0].details == ["idp": "google"])
            #expect(entries[1].origin == Origin(actor: .operator, door: .command, name: "operator", reason: "rude"))
            #expect(entries[1].date == world.clock.now.milliseconds)
            #expect(!"\(entries)".contains("alice-secret"))
        }
    }

    @Test(
        "MAP-6: a missing member can be restored for a while, and its identities are forgotten after it",
        arguments: Engine.available)
    func restoreWindow(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let lost = try await world.logIn(.google, "alice")
            let guest = try await world.guestPlayer()
            let ticket = try await world.ticket(.google, "alice", for: guest)
            _ = try await world.call(Endpoints.forceMapping, TicketUse(ticket), by: guest)
            let restore = { (provider: Provider?) in
                try await world.run(RestoreMember(user: lost.user, provider: provider), reason: "asked")
            }
            await #expect(throws: Refusal.self) { _ = try await restore(.apple) }
            await #expect(throws: Refusal.self) {
                try await world.run(RestoreMember(user: guest.user, provider: nil), reason: "asked")
            }
            world.clock.advance(seconds: 30 * 86_400)
            let winner = try await world.logIn(.google, "alice")
            _ = try await world.mapped(.apple, "alice", to: winner)
            // The window is closed, whether or not the sweeper has run.
            await #expect(throws: Refusal.self) { _ = try await restore(nil) }
            try await world.sweep()
            #expect(try await world.count("SELECT COUNT(*) FROM former_identities") == 0)
            #expect(try await world.report(lost.user).formerProviders.isEmpty)
            #expect(try await world.history(lost.user).last == "member.restore-window-closed")
            await #expect(throws: Refusal.self) { _ = try await restore(nil) }
        }
    }

    @Test("LOGIN-11: a login tells the registration, the last login and the mappings", arguments: Engine.available)
    func loginMember(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let first = try await world.logIn(.google, "alice").login.member
            world.clock.advance(seconds: 86_400)
            let again = try await world.logIn(.google, "alice").login.member
            #expect(again.userId == first.userId)
            #expect(again.appId == World.app)
            #expect(again.status == .normal)
            #expect(again.registrationDate == first.registrationDate)
            #expect(again.lastLoginDate == world.clock.now.milliseconds)
            #expect(again.mappings == first.mappings)
            #expect(again.temporaryWithdrawal == nil)
            #expect(again.graceBan == nil)
        }
    }

    @Test("What did not happen leaves no line in the audit log", arguments: Engine.available)
    func noEvent(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let nobody = UserID("AAAAAAAAAAAAAAAA")
            let player = try await world.guestPlayer()
            #expect(
                try await world.run(BanMembers([player.user], until: nil), reason: "x")
                    .failedUserIds.isEmpty)
            try await world.run(DisableIdentityProvider(provider: .google))
            world.audit.clear()

            for user in [nobody, player.user] {
                let isBanned = try await world.run(BanMembers([user], until: nil), reason: "x")
                    .failedUserIds.isEmpty
                #expect(!isBanned)
            }
            #expect(
                try await !world.run(ReleaseBans(users: [nobody]), reason: "x").failedUserIds
                    .isEmpty)
            await #expect(throws: Refusal.self) {
                try await world.run(WithdrawMember(user: nobody), reason: "x")
            }
            await #expect(throws: Refusal.self) {
                try await world.run(KickOut(user: nobody, message: [:]))
            }
            #expect(try await world.run(RevokeOldSecrets()) == 0)
            _ = try await world.run(ChangeLimits { _ in })
            _ = try await world.run(ChangeAccountPolicy { _ in })
            try await world.run(SetStatus(status: .inService, message: [:]))
            try await world.run(SetMaintenance(begin: nil, end: nil, message: [:], url: nil))
            try await world.run(DisableIdentityProvider(provider: .google))
            #expect(world.audit.events.isEmpty)

            // An effective change is recorded once.
            _ = try await world.run(ChangeLimits { $0.newGuestsPerMinute = 7 })
            #expect(
                try await world.run(ReleaseBans(users: [player.user]), reason: "x")
                    .failedUserIds.isEmpty)
            #expect(world.audit.events == ["app.limits-set", "ban.released"])
        }
    }
}

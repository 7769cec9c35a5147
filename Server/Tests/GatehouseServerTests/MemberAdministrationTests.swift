import GatehouseCore
import GatehouseSecurity
import GatehouseServer
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
            _ = try await world.administration.ban(
                players[0].user, until: nil, template: nil, reason: "r", of: World.app)
            let admin = world.administration
            let first = try await admin.members(of: World.app, limit: 3)
            let second = try await admin.members(of: World.app, after: first.last?.userId, limit: 3)
            #expect(first.count == 3)
            #expect(second.count == 2)
            #expect(Set((first + second).map(\.userId)) == Set(players.map(\.user)))
            #expect(try await admin.members(of: World.app, status: .banned).map(\.userId) == [players[0].user])
            #expect(try await admin.findMembers("alice-3", of: World.app).map(\.userId) == [players[3].user])
            #expect(try await admin.findMembers(players[4].user.rawValue, of: World.app).count == 1)
            #expect(try await admin.findMembers("google:alice-3", of: World.app).map(\.userId) == [players[3].user])
            #expect(try await admin.findMembers("naver:alice-3", of: World.app).isEmpty)
            let beginning = String(players[4].user.rawValue.prefix(4)).lowercased()
            #expect(try await Set(admin.findMembers(beginning, of: World.app).map(\.userId)).contains(players[4].user))
            for nobody in ["", "alice", "' OR 1=1 --", "alice-3\u{1}"] {
                #expect(try await admin.findMembers(nobody, of: World.app).isEmpty)
            }
            #expect(try await admin.member(players[0].user, of: World.app).ban?.reason == "r")
        }
    }

    @Test(
        "The ledger tells who did what, by which door and why, and holds nothing personal", arguments: Engine.available)
    func ledger(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let player = try await world.logIn(.google, "alice-secret")
            world.clock.advance(seconds: 5)
            _ = try await world.administration.ban(
                player.user, until: world.clock.now.adding(seconds: 60), template: nil, reason: "rude", of: World.app)
            let entries = try await world.administration.history(of: player.user, app: World.app)
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
                try await world.administration.restore(lost.user, with: provider, reason: "asked", of: World.app)
            }
            await #expect(throws: Refusal.self) { _ = try await restore(.apple) }
            await #expect(throws: Refusal.self) {
                try await world.administration.restore(guest.user, with: nil, reason: "asked", of: World.app)
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
            let administration = world.administration
            let nobody = UserID("AAAAAAAAAAAAAAAA")
            let player = try await world.guestPlayer()
            #expect(try await administration.ban(player.user, until: nil, template: nil, reason: "x", of: World.app))
            try await administration.disableIdentityProvider(.google, of: World.app)
            world.audit.clear()

            for user in [nobody, player.user] {
                let isBanned = try await administration.ban(
                    user, until: nil, template: nil, reason: "x", of: World.app)
                #expect(!isBanned)
            }
            #expect(try await !administration.releaseBan(nobody, reason: "x", of: World.app))
            await #expect(throws: Refusal.self) {
                try await administration.withdraw(nobody, reason: "x", of: World.app)
            }
            await #expect(throws: Refusal.self) {
                try await administration.kickOut(nobody, message: [:], of: World.app)
            }
            #expect(try await administration.revokeOldSecrets(of: World.app) == 0)
            _ = try await administration.setLimits(newGuests: nil, refusedProofs: nil, of: World.app)
            _ = try await administration.setAccountPolicy(of: World.app) { _ in }
            try await administration.setStatus(.inService, message: [:], of: World.app)
            try await administration.setMaintenance(begin: nil, end: nil, message: [:], url: nil, of: World.app)
            try await administration.disableIdentityProvider(.google, of: World.app)
            #expect(world.audit.events.isEmpty)

            // An effective change is recorded once.
            _ = try await administration.setLimits(newGuests: 7, refusedProofs: nil, of: World.app)
            #expect(try await administration.releaseBan(player.user, reason: "x", of: World.app))
            #expect(world.audit.events == ["app.limits-set", "ban.released"])
        }
    }
}

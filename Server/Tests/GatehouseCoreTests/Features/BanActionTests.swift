import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore

@Suite struct BanActionTests {
    @Test("BAN-1, BAN-2: a permanent ban ends every session, and stays until it is released")
    func permanent() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            #expect(try await desk.ban([alice.user]).isEmpty)
            #expect(try await !alice.isLoggedIn)
            desk.clock.advance(days: 400)
            #expect(await code { try await desk.player("alice") } == .bannedMember)
            let release = ReleaseBans(users: [alice.user])
            let server = desk.gameServer(name: "game-2", reason: "appeal")
            #expect(try await server.run(release).failedUserIds.isEmpty)
            #expect(try await desk.player("alice").user == alice.user)
            #expect(try await server.run(release).failedUserIds == [alice.user])
            let bans = try await desk.operator().run(ListBansOfMember(user: alice.user))
            let record = try #require(bans.first)
            #expect(bans.count == 1 && record.caller == "APP_SERVER")
            #expect(record.registeredBy == "game-1" && record.reason == "cheats")
            let released = try #require(record.release)
            #expect(released.at == desk.clock.now)
            #expect([released.caller, released.reason, released.by] == ["APP_SERVER", "appeal", "game-2"])
            let recent = ListRecentBans(begin: desk.clock.now.adding(seconds: -500 * 86_400), end: desk.clock.now)
            #expect(try await desk.operator().run(recent) == bans)
            #expect(try await desk.history(of: alice.user) == [.memberCreated, .banned, .banReleased])
        }
    }

    @Test("BAN-2: what a ban has ended stays ended after its release")
    func endedSessions() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            try await desk.ban([alice.user])
            _ = try await desk.gameServer().run(ReleaseBans(users: [alice.user]))
            #expect(try await !alice.isLoggedIn)
            let holder = alice.device.holder(of: alice.login.session.refreshToken)
            #expect(await code { try await holder.run(RefreshSession()) } == .authInvalidGatehouseToken)
        }
    }

    @Test(
        "BAN-2: a temporary ban ends by itself at its moment, and not before, by a login or by the sweeper",
        arguments: Engine.available)
    func temporary(engine: Engine) async throws {
        try await Desk.open(engine) { desk in
            let alice = try await desk.player("alice")
            let swept = try await desk.player("swept", on: "tablet")
            try await desk.ban([alice.user, swept.user], seconds: 3_600)
            desk.clock.advance(seconds: 3_599)
            #expect(await code { try await desk.player("alice") } == .bannedMember)
            desk.clock.advance(seconds: 1)
            #expect(try await desk.player("alice").user == alice.user)
            try await desk.sweep()
            #expect(try await desk.history(of: swept.user) == [.memberCreated, .banned, .banExpired])
            #expect(try await desk.member(swept.user).status == .normal)
            #expect(await refusal { try await swept.holder.run(RefreshSession()) }?.reason == .banned)
            let entry = try #require(try await desk.ledger(of: alice.user).last)
            #expect(entry.event == .banExpired)
            #expect(entry.origin.door == .clock)
        }
    }

    @Test("BAN-2: a ban gets another end, which its history and the next login show")
    func changed() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let end = { (seconds: Int64) in Moment(milliseconds: desk.clock.in(seconds: seconds)) }
            #expect(
                await code { try await desk.operator().run(ChangeBan(user: alice.user, end: nil)) } == .invalidParameter
            )
            try await desk.ban([alice.user], seconds: 3_600)
            #expect(
                await code { try await desk.operator().run(ChangeBan(user: alice.user, end: desk.clock.now)) }
                    == .invalidParameter)
            try await desk.operator().run(ChangeBan(user: alice.user, end: end(60)))
            let entry = try #require(try await desk.ledger(of: alice.user).last)
            #expect(entry.event == .banChanged && entry.origin.name == "mia" && entry.origin.reason == "cheats")
            desk.clock.advance(seconds: 60)
            #expect(try await desk.player("alice").user == alice.user)
            try await desk.ban([alice.user], seconds: 60)
            try await desk.operator().run(ChangeBan(user: alice.user, end: nil))
            desk.clock.advance(days: 400)
            #expect(await code { try await desk.player("alice") } == .bannedMember)
            #expect(try await desk.operator().run(ListBansOfMember(user: alice.user)).first?.type == .permanent)
        }
    }

    @Test("Support bans for at most 30 days, and changes and releases only its own bans")
    func support() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let support = { (name: String, role: OperatorRole) in
                let person = Operator(id: OperatorID(name), name: name, createdAt: desk.clock.now)
                return Caller(desk: desk, actor: .operator(person, as: role, reason: "cheats"))
            }
            let ban = { (days: Int64?) in
                BanMembers(
                    request: BanRequest(
                        userIds: [alice.user], banType: days == nil ? .permanent : .temporary,
                        endDate: days.map { desk.clock.in(seconds: $0 * 86_400) }, reason: "cheats", registeredBy: "kim"
                    ))
            }
            let end = { (days: Int64) in Moment(milliseconds: desk.clock.in(seconds: days * 86_400)) }
            let kim = support("kim", .support)
            #expect(await code { try await kim.run(ban(nil)) } == .userPermission)
            #expect(await code { try await kim.run(ban(31)) } == .userPermission)
            #expect(try await kim.run(ban(30)).failedUserIds.isEmpty)
            let lee = support("lee", .support)
            #expect(await code { try await lee.run(ReleaseBans(users: [alice.user])) } == .userPermission)
            #expect(await code { try await lee.run(ChangeBan(user: alice.user, end: end(1))) } == .userPermission)
            #expect(await code { try await kim.run(ChangeBan(user: alice.user, end: end(31))) } == .userPermission)
            #expect(await code { try await kim.run(ChangeBan(user: alice.user, end: nil)) } == .userPermission)
            try await kim.run(ChangeBan(user: alice.user, end: end(1)))
            #expect(try await kim.run(ReleaseBans(users: [alice.user])).failedUserIds.isEmpty)
            try await desk.ban([alice.user])
            #expect(await code { try await kim.run(ReleaseBans(users: [alice.user])) } == .userPermission)
            #expect(try await desk.member(alice.user).status == .banned)
            #expect(try await support("lee", .operator).run(ReleaseBans(users: [alice.user])).failedUserIds.isEmpty)
        }
    }

    @Test("The list of bans has filters, goes on after its last one, and knows each ban's state")
    func search() async throws {
        try await Desk.open { desk in
            var people: [UserID] = []
            for name in ["a", "b", "c", "d"] { people.append(try await desk.player(name, on: "phone-\(name)").user) }
            try await desk.operator().run(SetBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            try await desk.ban([people[0]], seconds: 60)
            desk.clock.advance(seconds: 61)
            for user in people[1...] {
                desk.clock.advance(seconds: 1)
                try await desk.ban([user], template: user == people[3] ? 7 : nil)
            }
            _ = try await desk.operator(reason: "mistake").run(ReleaseBans(users: [people[1]]))
            let search = { (state: BanRecord.State?, template: Int?, by: String?, reason: String?) in
                try await desk.operator().run(
                    SearchBans(
                        .init(state: state, template: template, by: by, reason: reason), before: nil, limit: 9))
            }
            #expect(try await search(nil, nil, nil, nil).found.count == 4)
            #expect(try await search(.inForce, nil, nil, nil).found.map(\.user) == [people[3], people[2]])
            #expect(try await search(.over, nil, nil, nil).found.map(\.user) == [people[0]])
            #expect(try await search(.released, nil, nil, nil).found.map(\.user) == [people[1]])
            #expect(try await search(nil, 7, nil, nil).found.map(\.user) == [people[3]])
            #expect(try await search(nil, nil, "GAME", "heat").found.count == 4)
            #expect(try await search(nil, nil, "mia", nil).found.isEmpty)
            desk.journal.clear()
            let over = SearchBans.Filter(state: .over, template: nil, by: nil, reason: nil)
            #expect(try await desk.operator().run(ExportBans(over)).map(\.user) == [people[0]])
            #expect(desk.journal.events == ["member.exported"])
            let all = SearchBans.Filter(state: nil, template: nil, by: nil, reason: nil)
            let first = try await desk.operator().run(SearchBans(all, before: nil, limit: 3))
            #expect(first.found.count == 3 && first.next == first.found.last?.id)
            let rest = try await desk.operator().run(SearchBans(all, before: first.next, limit: 3))
            #expect(rest.found.map(\.user) == [people[0]] && rest.next == nil)
            let counted = try await desk.operator().run(CountBansOfTemplates())
            #expect(counted.counts == [7: 1] && !counted.isPart)
        }
    }

    @Test("Where more bans are in force than are counted, the count and a preview say so")
    func countBound() async throws {
        try await Desk.open(.sqlite) { desk in
            let caller = desk.operator()
            try await caller.run(SetBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            let bound = CountBansOfTemplates.bound
            try await desk.database.transact { tx in
                let steps: SQL =
                    "WITH RECURSIVE steps (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM steps WHERE n < \(bound))"
                try tx.execute(
                    """
                    \(steps) INSERT INTO members (app_id, user_id, status, registered_at, last_login_at, ban_id)
                    SELECT \(Desk.app), printf('A%015d', n), 'B', 0, 0, printf('%09d', n) FROM steps
                    """)
                // The newest has no template.
                try tx.execute(
                    """
                    \(steps) INSERT INTO bans (ban_id, app_id, user_id, ban_type, begins_at, template_code, reason, caller,
                        registered_by)
                    SELECT printf('%09d', n), \(Desk.app), printf('A%015d', n), 'PERMANENT', 0,
                        CASE WHEN n < \(bound) THEN 7 END, '', 'CONSOLE', 'kim' FROM steps
                    """)
            }
            let counted = try await caller.run(CountBansOfTemplates())
            #expect(counted.counts == [7: bound - 1] && counted.isPart)
            let preview = try await caller.run(ReadPreview(of: try ArchiveBanTemplate(on: .banTemplate(7))))
            let values: [String: Phrase.Value] = ["count": .count(bound - 1), "bound": .number(bound)]
            #expect(preview.consequences.last == Phrase("templates.readers-part", values))
        }
    }

    @Test("BAN-1: members that are unknown, withdrawn or banned already are named, and the others are banned")
    func failedMembers() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let banned = try await desk.player("bob")
            let gone = try await desk.player("carol")
            try await gone.run(Withdraw())
            try await desk.ban([banned.user])
            let unknown = UserID("AAAAAAAAAAAAAAAA")
            let failed = try await desk.ban([alice.user, banned.user, gone.user, unknown, alice.user])
            #expect(Set(failed) == [banned.user, gone.user, unknown])
            #expect(try await desk.member(alice.user).status == .banned)
            #expect(desk.journal.lines(.banned).count == 2)
        }
    }

    @Test("BAN-1, BAN-3: a template's text reaches the player, also one that was changed since")
    func templates() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            #expect(await code { try await desk.ban([alice.user], template: 7) } == .invalidParameter)
            try await desk.operator().run(SetBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            try await desk.ban([alice.user], template: 7)
            #expect(await refusal { try await desk.player("alice") }?.message == "No cheats.")
            try await desk.operator().run(SetBanTemplate(code: 7, name: "cheats", texts: ["en": "No bots."]))
            #expect(await refusal { try await desk.player("alice") }?.message == "No bots.")
        }
    }

    @Test("BAN-3, LOGIN-10: a banned player is told type, begin, end and contact, and to wait, and nothing is written")
    func told() async throws {
        try await Desk.open { desk in
            try await desk.operator().run(
                ChangeAccountPolicy { policy in
                    policy.supportContact = "support@example.com"
                    policy.supportURL = "https://example.com/support"
                })
            let alice = try await desk.player("alice")
            try await desk.ban([alice.user], seconds: 86_400)
            let sessions = try await desk.count("SELECT COUNT(*) FROM sessions")
            let refused = await refusal { try await desk.player("alice") }
            let (begin, end) = (desk.clock.now.milliseconds, desk.clock.in(seconds: 86_400))
            #expect(
                refused?.details.ban
                    == Ban(
                        userId: alice.user, banType: .temporary, beginDate: begin, endDate: end,
                        message: "This account is banned.", contact: "support@example.com",
                        contactUrl: "https://example.com/support"))
            let standing = try #require(refused?.details.standing)
            #expect(!standing.isPlayable && standing.reason == .banned && standing.untilDate == end)
            #expect(standing.actions == [.wait, .contactSupport])
            // Without a template the player still reads something, in the player's language.
            let (app, now) = (try await desk.context().app, desk.clock.now)
            let messages = try await desk.database.read { tx in
                let account = try MemberRules.known(alice.user, app: Desk.app, in: tx)
                return try ["ja", "fr"].map { language in
                    let view = CallContext(app: app, languages: [language], moment: now)
                    return try HoldRules.ban(of: account, view, in: tx).message
                }
            }
            #expect(messages == ["このアカウントは利用が制限されています。", "This account is banned."])
            #expect(try await desk.count("SELECT COUNT(*) FROM sessions") == sessions)
        }
    }

    @Test("BAN-1: a ban needs a name, a reason, an end that lies ahead, and at most 300 members")
    func invalidBans() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let request = BanRequest(
                userIds: [alice.user], banType: .permanent, reason: "cheats", registeredBy: "game-1")
            for caller in [desk.gameServer(name: ""), desk.gameServer(reason: nil), desk.operator(reason: "")] {
                #expect(await code { try await caller.run(BanMembers(request: request)) } == .invalidParameter)
            }
            let many = (0..<301).map { UserID("\($0)") }
            #expect(await code { try await desk.ban(many) } == .invalidParameter)
            #expect(await code { try await desk.ban([alice.user], seconds: 0) } == .invalidParameter)
            let wrong: [(BanType, Int64?)] = [
                (.temporary, nil), (.permanent, desk.clock.in(seconds: 1)), (BanType("ETERNAL"), nil),
            ]
            for (type, end) in wrong {
                let ban = BanRequest(
                    userIds: [alice.user], banType: type, endDate: end, reason: "cheats", registeredBy: "game-1")
                #expect(await code { try await desk.gameServer().run(BanMembers(request: ban)) } == .invalidParameter)
            }
            #expect(try await desk.history(of: alice.user) == [.memberCreated])
        }
    }

    // MARK: Kick-outs

    @Test("BAN-5: a kick-out ends one member's sessions, and the member may log in again")
    func kickOut() async throws {
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let bob = try await desk.player("bob", on: "tablet")
            _ = try await desk.gameServer().run(KickOut(user: alice.user, message: ["en": "Update."]))
            let refused = await refusal { try await alice.run(SendHeartbeat()) }
            #expect(refused?.reason == .kickedOut && refused?.details.message == "Update.")
            #expect(try await bob.isLoggedIn)
            #expect(try await desk.player("alice").isLoggedIn)
            #expect(try await desk.history(of: alice.user) == [.memberCreated, .kickedOut])
        }
    }

    @Test("BAN-5: a kick-out of all ends every session, and those opened some seconds later are valid")
    func kickOutOfAll() async throws {
        try await Desk.open { desk in
            let (alice, bob) = (try await desk.player("alice"), try await desk.player("bob", on: "tablet"))
            _ = try await desk.gameServer().run(KickOut(user: nil, message: ["en": "Update."]))
            desk.clock.advance(seconds: 4)
            #expect(try await !alice.isLoggedIn)
            #expect(try await !bob.isLoggedIn)
            #expect(try await desk.player("alice").isLoggedIn)
            #expect(try await desk.records().map(\.event) == ["kick-out.everyone"])
            #expect(try await desk.history(of: alice.user) == [.memberCreated])
        }
    }

    @Test("REL-9: a ban of many members whose client has gone ends between its attempts")
    func departure() async throws {
        try await Desk.open { desk in
            let players = [
                try await desk.player("alice", on: "one"), try await desk.player("bob", on: "two"),
                try await desk.player("carol", on: "three"),
            ]
            try await desk.ban(players.map(\.user), seconds: 60)
            desk.clock.advance(seconds: 60)
            // Each attempt finds a member whose ban has ended, and the change that is due is told before the next attempt.
            let told = Atomic(0)
            let services = Services(
                database: desk.database, vault: desk.services.vault, environment: desk.services.environment,
                reporter: EventReporter(
                    audit: AuditLog { _ in
                        told.add(1, ordering: .relaxed)
                        withUnsafeCurrentTask { $0?.cancel() }
                    }))
            let request = BanRequest(
                userIds: players.map(\.user), banType: .permanent, reason: "cheats", registeredBy: "game-1")
            let actor = Actor(
                principal: .gameServer([.moderate]), door: .serverAPI, name: "game-1", reason: "cheats")
            let context = try await desk.context()
            let call = Task {
                try await Actions(services: services).run(BanMembers(request: request), by: actor, in: context)
            }
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(told.load(ordering: .relaxed) == 1)
            var last: [EventName?] = []
            for player in players { last.append(try await desk.history(of: player.user).last) }
            #expect(last.filter { $0 == .banExpired }.count == 1 && last.filter { $0 == .banned }.count == 2)
        }
    }
}

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
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            #expect(try await core.ban([alice.user]).isEmpty)
            #expect(try await !alice.isLoggedIn)
            core.clock.advance(days: 400)
            #expect(await code { try await core.player("alice") } == .bannedMember)
            let release = ReleaseBans(users: [alice.user])
            let server = core.gameServer(name: "game-2", reason: "appeal")
            #expect(try await server.run(release).failedUserIds.isEmpty)
            #expect(try await core.player("alice").user == alice.user)
            #expect(try await server.run(release).failedUserIds == [alice.user])
            let bans = try await core.operator().run(.bans(of: alice.user))
            let record = try #require(bans.first)
            #expect(bans.count == 1 && record.caller == "APP_SERVER")
            #expect(record.registeredBy == "game-1" && record.reason == "cheats")
            let released = try #require(record.release)
            #expect(released.at == core.clock.now)
            #expect([released.caller, released.reason, released.by] == ["APP_SERVER", "appeal", "game-2"])
            let recent = Read.recentBans(from: core.clock.now.adding(seconds: -500 * 86_400), to: core.clock.now)
            #expect(try await core.operator().run(recent) == bans)
            #expect(try await core.history(of: alice.user) == [.memberCreated, .banned, .banReleased])
        }
    }

    @Test("BAN-2: what a ban has ended stays ended after its release")
    func endedSessions() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.ban([alice.user])
            _ = try await core.gameServer().run(ReleaseBans(users: [alice.user]))
            #expect(try await !alice.isLoggedIn)
            let holder = alice.device.holder(of: alice.login.session.refreshToken)
            #expect(await code { try await holder.run(RefreshSession()) } == .authInvalidGatehouseToken)
        }
    }

    @Test(
        "BAN-2: a temporary ban ends by itself at its moment, and not before, by a login or by the sweeper",
        arguments: Engine.available)
    func temporary(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let alice = try await core.player("alice")
            let swept = try await core.player("swept", on: "tablet")
            try await core.ban([alice.user, swept.user], seconds: 3_600)
            core.clock.advance(seconds: 3_599)
            #expect(await code { try await core.player("alice") } == .bannedMember)
            core.clock.advance(seconds: 1)
            #expect(try await core.player("alice").user == alice.user)
            try await core.sweep()
            #expect(try await core.history(of: swept.user) == [.memberCreated, .banned, .banExpired])
            #expect(try await core.member(swept.user).status == .normal)
            #expect(await refusal { try await swept.holder.run(RefreshSession()) }?.reason == .banned)
            let entry = try #require(try await core.ledger(of: alice.user).last)
            #expect(entry.event == .banExpired)
            #expect(entry.origin.door == .clock)
        }
    }

    @Test("BAN-2: a ban gets another end, which its history and the next login show")
    func changed() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let end = { (seconds: Int64) in Moment(milliseconds: core.clock.in(seconds: seconds)) }
            #expect(
                await code { try await core.operator().run(ChangeBan(user: alice.user, end: nil)) } == .invalidParameter
            )
            try await core.ban([alice.user], seconds: 3_600)
            #expect(
                await code { try await core.operator().run(ChangeBan(user: alice.user, end: core.clock.now)) }
                    == .invalidParameter)
            try await core.operator().run(ChangeBan(user: alice.user, end: end(60)))
            let entry = try #require(try await core.ledger(of: alice.user).last)
            #expect(entry.event == .banChanged && entry.origin.name == "mia" && entry.origin.reason == "cheats")
            core.clock.advance(seconds: 60)
            #expect(try await core.player("alice").user == alice.user)
            try await core.ban([alice.user], seconds: 60)
            try await core.operator().run(ChangeBan(user: alice.user, end: nil))
            core.clock.advance(days: 400)
            #expect(await code { try await core.player("alice") } == .bannedMember)
            #expect(try await core.operator().run(.bans(of: alice.user)).first?.type == .permanent)
        }
    }

    @Test("Support bans for at most 30 days, and changes and releases only its own bans")
    func support() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let support = { (name: String, role: OperatorRole) in
                let person = Operator(id: OperatorID(name), name: name, createdAt: core.clock.now)
                return Caller(core: core, actor: .operator(person, as: role, reason: "cheats"))
            }
            let ban = { (days: Int64?) in
                BanMembers(
                    request: BanRequest(
                        userIds: [alice.user], banType: days == nil ? .permanent : .temporary,
                        endDate: days.map { core.clock.in(seconds: $0 * 86_400) }, reason: "cheats", registeredBy: "kim"
                    ))
            }
            let end = { (days: Int64) in Moment(milliseconds: core.clock.in(seconds: days * 86_400)) }
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
            try await core.ban([alice.user])
            #expect(await code { try await kim.run(ReleaseBans(users: [alice.user])) } == .userPermission)
            #expect(try await core.member(alice.user).status == .banned)
            #expect(try await support("lee", .operator).run(ReleaseBans(users: [alice.user])).failedUserIds.isEmpty)
        }
    }

    @Test("The list of bans has filters, goes on after its last one, and knows each ban's state")
    func search() async throws {
        try await TestCore.open { core in
            var people: [UserID] = []
            for name in ["a", "b", "c", "d"] { people.append(try await core.player(name, on: "phone-\(name)").user) }
            try await core.operator().run(AddBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            try await core.ban([people[0]], seconds: 60)
            core.clock.advance(seconds: 61)
            for user in people[1...] {
                core.clock.advance(seconds: 1)
                try await core.ban([user], template: user == people[3] ? 7 : nil)
            }
            _ = try await core.operator(reason: "mistake").run(ReleaseBans(users: [people[1]]))
            let search = { (state: BanRecord.State?, template: Int?, by: String?, reason: String?) in
                try await core.operator().run(
                    .bans(
                        where:
                            .init(state: state, template: template, by: by, reason: reason), before: nil, limit: 9))
            }
            #expect(try await search(nil, nil, nil, nil).found.count == 4)
            #expect(try await search(.inForce, nil, nil, nil).found.map(\.user) == [people[3], people[2]])
            #expect(try await search(.over, nil, nil, nil).found.map(\.user) == [people[0]])
            #expect(try await search(.released, nil, nil, nil).found.map(\.user) == [people[1]])
            #expect(try await search(nil, 7, nil, nil).found.map(\.user) == [people[3]])
            #expect(try await search(nil, nil, "GAME", "heat").found.count == 4)
            #expect(try await search(nil, nil, "mia", nil).found.isEmpty)
            core.callLog.clear()
            let over = BanFilter(state: .over, template: nil, by: nil, reason: nil)
            #expect(try await core.operator().run(ExportBans(over)).map(\.user) == [people[0]])
            #expect(core.callLog.events == ["member.exported"])
            let all = BanFilter(state: nil, template: nil, by: nil, reason: nil)
            let first = try await core.operator().run(.bans(where: all, before: nil, limit: 3))
            #expect(first.found.count == 3 && first.next == first.found.last?.id)
            let rest = try await core.operator().run(.bans(where: all, before: first.next, limit: 3))
            #expect(rest.found.map(\.user) == [people[0]] && rest.next == nil)
            let counted = try await core.operator().run(.bansOfTemplates)
            #expect(counted.counts == [7: 1] && !counted.isPart)
        }
    }

    @Test("Where more bans are in force than are counted, the count and a preview say so")
    func countBound() async throws {
        try await TestCore.open(.sqlite) { core in
            let caller = core.operator()
            try await caller.run(AddBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            let bound = BansOfTemplates.bound
            try await core.database.transact { tx in
                let steps: SQL =
                    "WITH RECURSIVE steps (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM steps WHERE n < \(bound))"
                try tx.execute(
                    """
                    \(steps) INSERT INTO members (app_id, user_id, status, registered_at, last_login_at, ban_id)
                    SELECT \(TestCore.app), printf('A%015d', n), 'B', 0, 0, printf('%09d', n) FROM steps
                    """)
                // The newest has no template.
                try tx.execute(
                    """
                    \(steps) INSERT INTO bans (ban_id, app_id, user_id, ban_type, begins_at, template_code, reason, caller,
                        registered_by)
                    SELECT printf('%09d', n), \(TestCore.app), printf('A%015d', n), 'PERMANENT', 0,
                        CASE WHEN n < \(bound) THEN 7 END, '', 'CONSOLE', 'kim' FROM steps
                    """)
            }
            let counted = try await caller.run(.bansOfTemplates)
            #expect(counted.counts == [7: bound - 1] && counted.isPart)
            let preview = try await caller.run(ReadPreview(of: try ArchiveBanTemplate(on: .banTemplate(7))))
            let values: [String: Phrase.Value] = ["count": .count(bound - 1), "bound": .number(bound)]
            #expect(preview.consequences.last == Phrase("templates.readers-part", values))
        }
    }

    @Test("BAN-1: members that are unknown, withdrawn or banned already are named, and the others are banned")
    func failedMembers() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let banned = try await core.player("bob")
            let gone = try await core.player("carol")
            try await gone.run(Withdraw())
            try await core.ban([banned.user])
            let unknown = UserID("AAAAAAAAAAAAAAAA")
            let failed = try await core.ban([alice.user, banned.user, gone.user, unknown, alice.user])
            #expect(Set(failed) == [banned.user, gone.user, unknown])
            #expect(try await core.member(alice.user).status == .banned)
            #expect(core.callLog.lines(.banned).count == 2)
        }
    }

    @Test("BAN-1, BAN-3: a template's text reaches the player, also one that was changed since")
    func templates() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            #expect(await code { try await core.ban([alice.user], template: 7) } == .invalidParameter)
            try await core.operator().run(AddBanTemplate(code: 7, name: "cheats", texts: ["en": "No cheats."]))
            try await core.ban([alice.user], template: 7)
            #expect(await refusal { try await core.player("alice") }?.message == "No cheats.")
            try await core.operator().run(AddBanTemplate(code: 7, name: "cheats", texts: ["en": "No bots."]))
            #expect(await refusal { try await core.player("alice") }?.message == "No bots.")
        }
    }

    @Test("BAN-3, LOGIN-10: a banned player is told type, begin, end and contact, and to wait, and nothing is written")
    func told() async throws {
        try await TestCore.open { core in
            try await core.operator().run(
                SetAccountPolicy { policy in
                    policy.supportContact = "support@example.com"
                    policy.supportURL = "https://example.com/support"
                })
            let alice = try await core.player("alice")
            try await core.ban([alice.user], seconds: 86_400)
            let sessions = try await core.count("SELECT COUNT(*) FROM sessions")
            let refused = await refusal { try await core.player("alice") }
            let (begin, end) = (core.clock.now.milliseconds, core.clock.in(seconds: 86_400))
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
            let (app, now) = (try await core.context().app, core.clock.now)
            let messages = try await core.database.read { tx in
                let account = try MemberRules.known(alice.user, app: TestCore.app, in: tx)
                return try ["ja", "fr"].map { language in
                    let view = CallContext(app: app, languages: [language], moment: now)
                    return try HoldRules.ban(of: account, view, in: tx).message
                }
            }
            #expect(messages == ["このアカウントは利用が制限されています。", "This account is banned."])
            #expect(try await core.count("SELECT COUNT(*) FROM sessions") == sessions)
        }
    }

    @Test("BAN-1: a ban needs a name, a reason, an end that lies ahead, and at most 300 members")
    func invalidBans() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let request = BanRequest(
                userIds: [alice.user], banType: .permanent, reason: "cheats", registeredBy: "game-1")
            for caller in [core.gameServer(name: ""), core.gameServer(reason: nil), core.operator(reason: "")] {
                #expect(await code { try await caller.run(BanMembers(request: request)) } == .invalidParameter)
            }
            let many = (0..<301).map { UserID("\($0)") }
            #expect(await code { try await core.ban(many) } == .invalidParameter)
            #expect(await code { try await core.ban([alice.user], seconds: 0) } == .invalidParameter)
            let wrong: [(BanType, Int64?)] = [
                (.temporary, nil), (.permanent, core.clock.in(seconds: 1)), (BanType("ETERNAL"), nil),
            ]
            for (type, end) in wrong {
                let ban = BanRequest(
                    userIds: [alice.user], banType: type, endDate: end, reason: "cheats", registeredBy: "game-1")
                #expect(await code { try await core.gameServer().run(BanMembers(request: ban)) } == .invalidParameter)
            }
            #expect(try await core.history(of: alice.user) == [.memberCreated])
        }
    }

    // MARK: Kick-outs

    @Test("BAN-5: a kick-out ends one member's sessions, and the member may log in again")
    func kickOut() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let bob = try await core.player("bob", on: "tablet")
            _ = try await core.gameServer().run(KickOut(user: alice.user, message: ["en": "Update."]))
            let refused = await refusal { try await alice.run(SendHeartbeat()) }
            #expect(refused?.reason == .kickedOut && refused?.details.message == "Update.")
            #expect(try await bob.isLoggedIn)
            #expect(try await core.player("alice").isLoggedIn)
            #expect(try await core.history(of: alice.user) == [.memberCreated, .kickedOut])
        }
    }

    @Test("BAN-5: a kick-out of all ends every session, and those opened some seconds later are valid")
    func kickOutOfAll() async throws {
        try await TestCore.open { core in
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob", on: "tablet"))
            _ = try await core.gameServer().run(KickOut(user: nil, message: ["en": "Update."]))
            core.clock.advance(seconds: 4)
            #expect(try await !alice.isLoggedIn)
            #expect(try await !bob.isLoggedIn)
            #expect(try await core.player("alice").isLoggedIn)
            #expect(try await core.records().map(\.event) == ["kick-out.everyone"])
            #expect(try await core.history(of: alice.user) == [.memberCreated])
        }
    }

    @Test("REL-9: a ban of many members whose client has gone ends between its attempts")
    func departure() async throws {
        try await TestCore.open { core in
            let players = [
                try await core.player("alice", on: "one"), try await core.player("bob", on: "two"),
                try await core.player("carol", on: "three"),
            ]
            try await core.ban(players.map(\.user), seconds: 60)
            core.clock.advance(seconds: 60)
            // Each attempt finds a member whose ban has ended, and the change that is due is told before the next attempt.
            let told = Atomic(0)
            let services = Services(
                database: core.database, vault: core.services.vault, environment: core.services.environment,
                reporter: EventReporter(
                    audit: AuditLog { _ in
                        told.add(1, ordering: .relaxed)
                        withUnsafeCurrentTask { $0?.cancel() }
                    }))
            let request = BanRequest(
                userIds: players.map(\.user), banType: .permanent, reason: "cheats", registeredBy: "game-1")
            let actor = Actor(
                principal: .gameServer([.moderate]), door: .serverAPI, name: "game-1", reason: "cheats")
            let context = try await core.context()
            let call = Task {
                try await Actions(services: services).run(BanMembers(request: request), by: actor, in: context)
            }
            await #expect(throws: CancellationError.self) { try await call.value }
            #expect(told.load(ordering: .relaxed) == 1)
            var last: [EventName?] = []
            for player in players { last.append(try await core.history(of: player.user).last) }
            #expect(last.filter { $0 == .banExpired }.count == 1 && last.filter { $0 == .banned }.count == 2)
        }
    }
}

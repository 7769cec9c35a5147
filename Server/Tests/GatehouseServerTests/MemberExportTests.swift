import FakeProviders
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import TestDatabases
import Testing

@Suite struct MemberExportTests {
    @Test(
        "A person who asks gets what is stored about the member, and nothing that opens an account",
        arguments: Engine.available)
    func contents(engine: Engine) async throws {
        try await World.open(on: engine) { world in
            let begin = world.clock.now
            let player = try await world.logIn(.google, "alice", accessToken: true)
            let neighbour = try await world.logIn(.google, "bob")
            world.clock.advance(seconds: 1)
            _ = try await world.run(
                BanMembers([player.user], until: world.clock.now.adding(seconds: 60)), reason: "rude")
            let export = try await world.run(ExportMember(user: player.user))
            #expect(export.exportedAt == world.clock.now.milliseconds)
            expectPlausibleTimes(in: export, since: begin)
            #expect(export.tables["revocations"]?.isEmpty == false)
            #expect(export.tables["members"]?.map { $0["status"] } == [.string("B")])
            #expect(export.tables["identities"]?.map { $0["subject"] } == [.string("alice")])
            #expect(export.tables["sessions"]?.count == 1)
            #expect(export.tables["bans"]?.map { $0["reason"] } == [.string("rude")])
            let events = export.tables["ledger"]?.compactMap { $0["event"] }
            #expect(events == [.string("member.created"), .string("ban.begun")])
            #expect(export.tables["ledger"]?.first?["details"] == .object(["idp": .string("google")]))
            guard case .object(let profile)? = export.profiles["google"] else {
                Issue.record("\(export.profiles)")
                return
            }
            #expect(profile["name"] == .string("Player alice"))
            #expect(export.leftOut["sessions.refresh_hash"] != nil)

            let text = "\(export)"
            for secret in [
                player.login.session.refreshToken?.secretValue, player.login.session.accessToken.secretValue,
                world.idps.accessToken(.google, for: "alice").secretValue,
            ] {
                #expect(!text.contains(try #require(secret)))
            }
            #expect(!text.contains(neighbour.user.rawValue) && !text.contains("bob"))
            // Who has banned is another person. Who has read all this is in the log.
            #expect(export.tables["ledger"]?.allSatisfy { $0["acted_by"] == nil } == true)
            #expect(world.audit.text.contains("member.exported"))
        }
    }

    /// Every time of the past lies between the account's begin and now, and every other one within two years.
    private func expectPlausibleTimes(in export: MemberExport, since begin: Moment) {
        let ahead = ["expires_at", "ends_at", "withdraws_at", "grace_ends_at", "restorable_until", "blocked_until"]
        for (table, rows) in export.tables {
            for (column, value) in rows.joined() where column.hasSuffix("_at") || column.hasSuffix("_until") {
                guard case .integer(let time) = value else { continue }
                let isAhead = ahead.contains { column.hasSuffix($0) }
                let latest = export.exportedAt + (isAhead ? 730 * 86_400_000 : 0)
                // Some are whole seconds.
                #expect((begin.milliseconds - 999...latest).contains(time), "\(table).\(column)")
            }
        }
    }

    @Test("Who has withdrawn has a history without anything that leads to a person; an unknown member is refused")
    func afterwards() async throws {
        try await World.open(on: .sqlite) { world in
            let player = try await world.logIn(.google, "alice")
            try await world.run(WithdrawMember(user: player.user), reason: "asked")
            let export = try await world.run(ExportMember(user: player.user))
            #expect(export.tables.keys.sorted() == ["audit_log", "ledger", "members", "revocations"])
            #expect(export.profiles.isEmpty)
            #expect(!"\(export.tables)".contains("alice"))
            await #expect(throws: Refusal.self) {
                _ = try await world.run(ExportMember(user: UserID("nobody")))
            }
        }
    }
}

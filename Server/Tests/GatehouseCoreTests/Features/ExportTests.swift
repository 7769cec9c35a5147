import GatehouseImport
import GatehouseJSON
import GatehouseProviders
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What an export reads of an app, and that an import has it back.
@Suite struct ExportTests {
    /// An app with members of every kind.
    private struct Players {
        let guest, person, banned, freed, leaving, graced: UserID
    }

    private func fill(_ core: TestCore) async throws -> Players {
        let guest = try await core.guest("guest").user
        let person = try await core.player("123", .twitter, on: "person")
        _ = try await person.addMapping(.naver, of: "alice")
        let banned = try await core.player("456", .twitter, on: "banned").user
        let freed = try await core.player("bob", on: "freed").user
        try await core.ban([freed], seconds: 60)
        let leaving = try await core.player("carol", on: "leaving")
        _ = try await leaving.run(RequestWithdrawal())
        let gone = try await core.player("dave", on: "gone")
        try await gone.run(Withdraw())
        let graced = try await core.player("erin", on: "graced").user
        core.clock.advance(seconds: 120)
        try await core.ban([banned])
        try await core.ban([freed])
        try await core.operator().run(ReleaseBans(users: [freed]))
        try await core.graceBan(graced)
        return Players(
            guest: guest, person: person.user, banned: banned, freed: freed, leaving: leaving.user, graced: graced)
    }

    @Test(
        "Each member is exported with its identities, bans and withdrawal, and who has withdrawn is counted",
        arguments: Engine.available)
    func members(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let players = try await fill(core)
            let (files, totals) = try await ExportedFiles.export(core)
            #expect(files.map(\.name) == ["members-001.jsonl"] && files.map(\.records) == [6])
            #expect(totals.members == 6 && totals.losses == [.withdrawn: 1, .graceBans: 1])
            let members = Dictionary(
                uniqueKeysWithValues: try ExportedFiles.members(files).map { (UserID($0.legacyID), $0) })
            #expect(members.values.allSatisfy { $0.userID == $0.legacyID })
            let guest = try #require(members[players.guest])
            #expect(guest.status == .guest && guest.identities.isEmpty)
            #expect(guest.extra?["deviceKeys"] == .array([.string(core.device("guest").key.rawValue)]))
            let person = try #require(members[players.person])
            #expect(person.status == .active)
            #expect(person.identities.map(\.provider).sorted() == ["naver", "twitter.com"])
            #expect(person.identities.allSatisfy { $0.registrationDate == person.registrationDate })
            #expect(members[players.banned]?.bans.map(\.type) == [.permanent])
            #expect(members[players.banned]?.bans.map(\.reason) == ["cheats"])
            let now = core.clock.now.milliseconds
            #expect(
                members[players.freed]?.bans == [
                    ImportedBan(.temporary, beginDate: now - 120_000, endDate: now - 60_000, reason: "cheats"),
                    ImportedBan(.temporary, beginDate: now, endDate: now, reason: "cheats"),
                ])
            let leaving = try #require(members[players.leaving])
            #expect(leaving.status == .withdrawn && (leaving.gracePeriodDate ?? 0) > now)
            #expect(members[players.graced]?.bans == [])
            // A ban is one as soon as the grace period is over, whether somebody has looked or not.
            core.clock.advance(seconds: 86_400)
            let later = try ExportedFiles.members(try await ExportedFiles.export(core).files)
            let graced = later.first { $0.legacyID == players.graced.rawValue }
            #expect(graced?.bans == [ImportedBan(.permanent, beginDate: now + 86_400_000)])
        }
    }

    @Test("Another app that imports an export with its user ids has the same members", arguments: Engine.available)
    func back(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            _ = try await fill(core)
            let members = try ExportedFiles.members(try await ExportedFiles.export(core).files)
            try await TestCore.open(engine) { other in
                other.clock.advance(seconds: 120)
                try await ImportedFile.setSource(at: other)
                var file = ImportedFile(members)
                file.options.userIDs = .keep
                file.options.providers["naver"] = .init(provider: .naver)
                file.options.assertions[.naver] = "client"
                let result = try await file.run(at: other)
                #expect(result.words == Array(repeating: "created", count: 6))
                #expect(result.notes.allSatisfy { $0.isEmpty })
                try await other.expectInvariants()
                let again = try ExportedFiles.members(try await ExportedFiles.export(other).files)
                #expect(again.map(\.legacyID) == members.map(\.legacyID))
                #expect(again.map(\.digest) == members.map(\.digest))
                #expect(again.map(\.lastLoginDate) == members.map(\.lastLoginDate))
                // A person is the same one there.
                let alice = try await other.player("alice", on: "tablet").user
                #expect(members.contains { $0.userID == alice.rawValue })
            }
        }
    }

    @Test(
        "An export has every member once, and the same files each time",
        arguments: Engine.available)
    func pages(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let count = 2 * ExportedPage.size + 3
            let app = TestCore.app
            try await core.database.transact { tx in
                for number in 0..<count {
                    let user = UserID("MEMBER" + String(1_000_000_000 + number))
                    var account = Account(
                        app: app, user: user, status: .normal, registrationDate: Int64(number), lastLoginDate: 9,
                        version: 0,
                        generation: 0, mappings: [])
                    account.activeDay = 1
                    try MemberQueries.insertImported(account, in: tx)
                    let key = IdentityKey(provider: .naver, namespace: "", subject: "subject-\(number)")
                    try MemberQueries.insertIdentity(key, of: account, at: Moment(milliseconds: 5), in: tx)
                }
            }
            let (files, totals) = try await ExportedFiles.export(core, membersPerFile: 200)
            #expect(files.map(\.records) == [200, 200, 115] && totals.members == count)
            let members = try ExportedFiles.members(files)
            #expect(members.map(\.registrationDate) == (0..<count).map { Int64($0) })
            #expect(members.map { $0.identities.first?.subject } == (0..<count).map { "subject-\($0)" })
            let again = try await ExportedFiles.export(core, membersPerFile: 200)
            #expect(again.files.map(\.bytes) == files.map(\.bytes))
            for format in ExportFormat.allCases where format != .gatehouse {
                #expect(try await ExportedFiles.export(core, as: format).totals.members == count)
            }
        }
    }

    @Test("What changes while an export is made is in none of its pages", arguments: Engine.available)
    func snapshot(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let early = try await core.player("123", .twitter, on: "early").user
            let hold = Hold()
            async let export = ExportedFiles.export(core, withHistory: true, hold: hold)
            try await hold.reached()
            core.clock.advance(seconds: 60)
            let late = try await core.player("456", .twitter, on: "late").user
            try await core.ban([early])
            hold.open()
            let (files, totals) = try await export
            #expect(totals.members == 1 && totals.bans == 0)
            #expect(!String(decoding: files.flatMap(\.bytes), as: UTF8.self).contains(late.rawValue))
            #expect(try await ExportedFiles.export(core).totals.members == 2)
        }
    }

    @Test("No text of the database breaks a file, and what can't be exported is counted", arguments: Engine.available)
    func hostile(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let subjects = [#"O'Hara"); DROP TABLE x; --\"#, "line\nbreak", String(repeating: "x", count: 300), "é한👩‍🚀"]
            let app = TestCore.app
            for (number, subject) in subjects.enumerated() {
                let user = try await core.guest("phone-\(number)").user
                try await core.database.transact { tx in
                    let account = try MemberRules.known(user, app: app, in: tx)
                    let key = IdentityKey(provider: .naver, namespace: "", subject: subject)
                    try MemberQueries.insertIdentity(key, of: account, at: Moment(milliseconds: 5), in: tx)
                }
            }
            let banned = try await core.guest("banned").user
            let reason = "a\nb" + String(repeating: "é", count: 1_200)
            let request = BanRequest(
                userIds: [banned], banType: .permanent, endDate: nil, templateCode: nil, reason: "cheats",
                registeredBy: "game-1")
            _ = try await core.gameServer().run(BanMembers(request: request))
            try await core.database.transact { tx in
                _ = try tx.execute("UPDATE bans SET reason = \(reason) WHERE user_id = \(banned) AND app_id = \(app)")
            }
            let (files, totals) = try await ExportedFiles.export(core)
            #expect(totals.members == 5 && totals.losses == [.identities: 2, .reasons: 1])
            let members = try ExportedFiles.members(files)
            #expect(Set(members.flatMap { $0.identities.map(\.subject) }) == [subjects[0], subjects[3]])
            #expect(members.filter { $0.status == .unreachable }.count == 2)
            let exported = members.first { $0.legacyID == banned.rawValue }?.bans.first?.reason
            #expect(exported?.unicodeScalars.count == 1_000 && exported?.hasPrefix("a bé") == true)
        }
    }

    @Test(
        "The history is exported on demand, without who has acted; no session and no secret is",
        arguments: Engine.available)
    func history(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let players = try await fill(core)
            let (files, totals) = try await ExportedFiles.export(core, withHistory: true)
            let ledger = try #require(files.first { $0.name == "ledger-001.jsonl" })
            let lines = ledger.bytes.split(separator: 0x0a)
            #expect(lines.count == totals.ledgerEntries && ledger.records == lines.count)
            let count = try await core.count("SELECT COUNT(*) FROM ledger")
            #expect(lines.count == count)
            let entries = try lines.map { try StrictJSON.parse($0) }
            let freed = entries.filter { $0["userId"]?.string == players.freed.rawValue }.compactMap {
                $0["event"]?.string
            }
            let history = try await core.history(of: players.freed).map(\.stored)
            #expect(freed == history && !freed.isEmpty)
            let text = String(decoding: files.flatMap(\.bytes), as: UTF8.self)
            #expect(!text.contains("\"mia\"") && !text.contains("\"game-1\""))
            let without = try await ExportedFiles.export(core)
            #expect(without.files.map(\.name) == ["members-001.jsonl"] && without.totals.ledgerEntries == 0)
            let members = String(decoding: without.files.flatMap(\.bytes), as: UTF8.self)
            let sessions = try await core.database.read { tx in
                try tx.rows("SELECT session_id FROM sessions") { row in try row[0] as String }
            }
            #expect(!sessions.isEmpty && sessions.allSatisfy { !members.contains($0) })
        }
    }

    @Test("The audit log has a record of each export, before it has read anything")
    func audit() async throws {
        struct Failure: Error {}
        try await TestCore.open { core in
            await #expect(throws: Failure.self) {
                _ = try await core.operator().run(ExportApp(.firebase) { throw Failure() })
            }
            let records = try await core.database.read { tx in try AuditRules.records(after: "", limit: 1_000, in: tx) }
            let record = try #require(records.first { $0.event == "app.members-exported" })
            #expect(record.details == ["format": "firebase"])
            #expect(record.origin.name == "mia")
        }
    }
}

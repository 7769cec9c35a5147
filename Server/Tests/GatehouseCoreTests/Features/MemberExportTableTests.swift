import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What a person gets who asks for what is stored.
@Suite struct MemberExportTableTests {
    /// Adds a row about a member to a table, whatever its columns are.
    private static func fill(
        _ table: ExportedTable, of alice: Player, in tx: Transaction
    ) throws {
        let name = "\(table.name)"
        let columns = try tx.rows(SQL(stringLiteral: "PRAGMA table_info(\(name))")) { row in
            (name: try row[1] as String, type: try row[2] as String)
        }
        let values = columns.map { column in
            switch column.name {
            case "app_id": "'\(TestCore.app)'"
            case "user_id": "'\(alice.user)'"
            case "key_thumbprint": "'\(alice.device.key)'"
            case "target": "'\(ActionTarget.member(alice.user).text)'"
            default: column.type == "TEXT" ? "'\(name)'" : column.type == "BLOB" ? "x'00'" : "1"
            }
        }
        try tx.execute(
            SQL(
                stringLiteral:
                    "INSERT INTO \(name) (\(columns.map(\.name).joined(separator: ", "))) VALUES (\(values.joined(separator: ", ")))"
            ))
    }

    @Test("A row about the member in any table of the list is exported")
    func everyTable() async throws {
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            let first = try await core.operator().run(ExportMember(user: alice.user)).tables
            for table in ExportedTable.all where first["\(table.name)"] == nil {
                try await core.database.transact { tx in try Self.fill(table, of: alice, in: tx) }
            }
            let all = try await core.operator().run(ExportMember(user: alice.user)).tables
            #expect(Set(all.keys) == Set(ExportedTable.all.map { "\($0.name)" }))
        }
    }

    @Test("What operators have done to the member, and to several with it, is exported without the others")
    func operatorActions() async throws {
        try await TestCore.open { core in
            let kim = try #require(try await core.person().live).person
            let (alice, bob) = (try await core.player("alice"), try await core.player("bob"))
            for (once, users) in [("one", [alice.user]), ("both", [alice.user, bob.user]), ("other", [bob.user])] {
                let confirmation = ActionConfirmation(
                    action: "members.banned", target: users.count == 1 ? .member(users[0]) : .members(users),
                    person: kim.id, ticket: "T-\(once)", once: once, seen: nil)
                let request = BanRequest(userIds: users, banType: .permanent, reason: "cheats", registeredBy: "kim")
                try await core.operator(kim, as: .owner, confirmation: confirmation).run(BanMembers(request: request))
            }
            let rows = try await core.operator().run(ExportMember(user: alice.user)).tables["operator_actions"] ?? []
            #expect(rows.map { $0["ticket"] } == ["T-one", "T-both"])
            #expect(rows.last?["state_after"]?.objectValue?["\(alice.user).status"] != nil)
            #expect(!"\(rows)".contains(bob.user.rawValue) && !"\(rows)".contains("kim"))
        }
    }

    @Test(
        "A person who asks gets what is stored about the member, and nothing that opens an account",
        arguments: Engine.available)
    func contents(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let begin = core.clock.now
            let credential = FakePeople.credential(.naver, of: "alice")
            let alice = try await core.device("phone").logIn(credential)
            let neighbour = try await core.player("bob", on: "tablet")
            core.clock.advance(seconds: 1)
            try await core.ban([alice.user], seconds: 60)
            let export = try await core.operator().run(ExportMember(user: alice.user))
            #expect(export.exportedAt == core.clock.now.milliseconds)
            expectPlausibleTimes(in: export, since: begin)
            #expect(export.tables["revocations"]?.isEmpty == false)
            #expect(export.tables["members"]?.map { $0["status"] } == [.string("B")])
            #expect(export.tables["identities"]?.map { $0["subject"] } == [.string("alice")])
            #expect(export.tables["sessions"]?.count == 1)
            #expect(export.tables["bans"]?.map { $0["reason"] } == [.string("cheats")])
            let events = export.tables["ledger"]?.compactMap { $0["event"] }
            #expect(events == [.string("member.created"), .string("ban.begun")])
            #expect(export.tables["ledger"]?.first?["details"] == .object(["idp": .string("naver")]))
            #expect(export.profiles["naver"]?.objectValue?["id"] == .string("alice"))
            #expect(export.leftOut["sessions.refresh_hash"] != nil)
            let text = "\(export)"
            for secret in [
                alice.login.session.refreshToken?.secretValue, alice.login.session.accessToken.secretValue,
                credential.accessToken?.secretValue,
            ] {
                #expect(!text.contains(try #require(secret)))
            }
            #expect(!text.contains(neighbour.user.rawValue) && !text.contains("bob"))
            // Who has banned is another person. Who has read all this is in the log.
            #expect(export.tables["ledger"]?.allSatisfy { $0["acted_by"] == nil } == true)
            #expect(core.callLog.events.last == "member.exported")
        }
    }

    /// Every time of the past lies between the account's begin and now, and every other one within two years.
    @Test(
        "The export of several members has a row for each of them in this app, and the log names each",
        arguments: Engine.available)
    func several(engine: Engine) async throws {
        try await TestCore.open(engine) { core in
            let alice = try await core.device("phone").logIn(FakePeople.credential(.naver, of: "alice"))
            let bob = try await core.player("bob", on: "tablet")
            _ = try await core.player("carol", on: "other")
            let list = "\(bob.user)\nAAAAAAAAAAAAAAAA\n\(alice.user)\n\(bob.user)\nA\u{0}"
            let export = try await core.operator().run(ExportMembers(listedIn: list))
            #expect(export.columns == ExportedTable.members.columns.map { "\($0)" } + ["idp"])
            #expect(export.rows.map { $0[0] } == [bob, alice].map { .string($0.user.rawValue) })
            #expect(export.rows.allSatisfy { $0.count == export.columns.count })
            #expect(export.rows.last?.last == .string("naver"))
            let one = try await core.operator().run(ExportMember(user: bob.user)).tables["members"]?.first
            #expect(export.rows[0].dropLast() == export.columns.dropLast().map { one?[$0] ?? .null }[...])
            #expect(core.callLog.events.filter { $0 == "member.exported" }.count == 3)
        }
    }

    @Test("The end of a column's name says what its number is")
    func numbers() {
        let begin = Moment(milliseconds: 86_400_000)
        #expect(ExportedNumber(1, in: "active_day") == .day(begin))
        #expect(ExportedNumber(86_400_000, in: "withdraws_at") == .moment(begin))
        #expect(ExportedNumber(86_400_000, in: "restorable_until") == .moment(begin))
        #expect(ExportedNumber(1, in: "ban_type") == .other)
        _ = ExportedNumber(.max, in: "active_day")
    }

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
        try await TestCore.open { core in
            let alice = try await core.player("alice")
            try await core.operator().run(WithdrawMember(user: alice.user))
            let export = try await core.operator().run(ExportMember(user: alice.user))
            #expect(
                export.tables.keys.sorted() == ["audit_log", "ledger", "members", "operator_actions", "revocations"])
            #expect(export.profiles.isEmpty)
            #expect(!"\(export.tables)".contains("alice"))
            let nobody = ExportMember(user: UserID("nobody"))
            #expect(await code { try await core.operator().run(nobody) } == .authNotExistMember)
        }
    }

    @Test("Where an identity came from or went to is another member, and not which")
    func moved() {
        let ledger = ExportedTable.all.first { "\($0.name)" == "ledger" }
        let user = UserID("AAAABBBBCCCCDDDD")
        let details: JSONValue = ["idp": "google", "fromUserId": "EEEEFFFFGGGGHHHH", "toUserId": "AAAABBBBCCCCDDDD"]
        #expect(
            ledger?.withoutOthers(details, of: user)
                == ["idp": "google", "fromUserId": "another member", "toUserId": "AAAABBBBCCCCDDDD"])
        let operatorActions = ExportedTable.all.first { "\($0.name)" == "operator_actions" }
        let state: JSONValue = [
            "status": "missing", "identityBelongsTo": "EEEEFFFFGGGGHHHH", "identityBelongsTo.identities": "google",
        ]
        #expect(
            operatorActions?.withoutOthers(state, of: user) == [
                "status": "missing", "identityBelongsTo": "another member",
            ])
    }
}

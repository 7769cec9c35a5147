import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
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
            case "app_id": "'\(Desk.app)'"
            case "user_id": "'\(alice.user)'"
            case "key_thumbprint": "'\(alice.device.key)'"
            case "target": "'\(DeedTarget.member(alice.user).text)'"
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
        try await Desk.open { desk in
            let alice = try await desk.player("alice")
            let first = try await desk.operator().run(ExportMember(user: alice.user)).tables
            for table in ExportedTable.all where first["\(table.name)"] == nil {
                try await desk.database.transact { tx in try Self.fill(table, of: alice, in: tx) }
            }
            let all = try await desk.operator().run(ExportMember(user: alice.user)).tables
            #expect(Set(all.keys) == Set(ExportedTable.all.map { "\($0.name)" }))
        }
    }

    @Test("What operators have done to the member, and to several with it, is exported without the others")
    func deeds() async throws {
        try await Desk.open { desk in
            let kim = try #require(try await desk.person().live).person
            let (alice, bob) = (try await desk.player("alice"), try await desk.player("bob"))
            for (once, users) in [("one", [alice.user]), ("both", [alice.user, bob.user]), ("other", [bob.user])] {
                let deed = Deed(
                    action: "members.banned", target: users.count == 1 ? .member(users[0]) : .members(users),
                    person: kim.id, ticket: "T-\(once)", once: once, seen: nil)
                let request = BanRequest(userIds: users, banType: .permanent, reason: "cheats", registeredBy: "kim")
                try await desk.operator(kim, as: .owner, deed: deed).run(BanMembers(request: request))
            }
            let rows = try await desk.operator().run(ExportMember(user: alice.user)).tables["operator_actions"] ?? []
            #expect(rows.map { $0["ticket"] } == ["T-one", "T-both"])
            #expect(rows.last?["state_after"]?.objectValue?["\(alice.user).status"] != nil)
            #expect(!"\(rows)".contains(bob.user.rawValue) && !"\(rows)".contains("kim"))
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
        let deeds = ExportedTable.all.first { "\($0.name)" == "operator_actions" }
        let state: JSONValue = [
            "status": "missing", "identityBelongsTo": "EEEEFFFFGGGGHHHH", "identityBelongsTo.identities": "google",
        ]
        #expect(
            deeds?.withoutOthers(state, of: user) == ["status": "missing", "identityBelongsTo": "another member"])
    }
}

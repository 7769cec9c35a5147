import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// The tables of an export, compared with the schema.
@Suite struct ExportedTableTests {
    /// Columns that lead from a row to a member or to a member's device.
    private static let leading: Set<String> = [
        "user_id", "mapped_user_id", "target", "owner", "key_thumbprint", "device_hash",
    ]

    @Test("Every column about a member is exported, or left out with a reason")
    func complete() async throws {
        try await Tables.transact(.sqlite) { tx in
            let rows = try tx.rows(
                """
                SELECT tables.name, columns.name FROM sqlite_master AS tables, pragma_table_info(tables.name) AS columns
                WHERE tables.type = 'table'
                """
            ) { row in (table: try row[0] as String, column: try row[1] as String) }
            let schema = Dictionary(grouping: rows, by: \.table).mapValues { Set($0.map(\.column)) }
            #expect(schema["members"]?.contains("user_id") == true)
            let exported = Dictionary(uniqueKeysWithValues: ExportedTable.all.map { ("\($0.name)", $0) })
            let leftOut = Set(ExportedTable.leftOutTables.map { "\($0.key)" })
            for (name, columns) in schema {
                if let table = exported[name] {
                    let decided = table.columns.map { "\($0)" } + table.leftOut.map { "\($0.key)" }
                    #expect(Set(decided) == columns, "\(name)")
                    #expect(decided.count == columns.count, "\(name)")
                } else {
                    #expect(columns.isDisjoint(with: Self.leading) || leftOut.contains(name), "\(name)")
                }
            }
            #expect(Set(exported.keys).union(leftOut).isSubset(of: schema.keys))
        }
    }

    @Test("Every statement finds the rows of one member of one app", arguments: Engine.available)
    func statements(engine: Engine) async throws {
        try await Tables.transact(engine) { tx in
            let (user, neighbour) = (MemberQueryTests.user, MemberQueryTests.neighbour)
            for (app, user) in [(Tables.app, user), (Tables.otherApp, user), (Tables.app, neighbour)] {
                let note = MemberNote(
                    id: Tables.id(at: Tables.moment), author: "kim", text: Tables.text, date: Tables.moment)
                try NoteQueries.insert(note, of: user, app: app, in: tx)
            }
            for table in ExportedTable.all {
                let rows = try tx.rows(table.statement(of: user, app: Tables.app)) { row in
                    try table.columns.indices.map { try row[$0] as SQLValue }
                }
                #expect(rows.count == ("\(table.name)" == "member_notes" ? 1 : 0), "\(table.name)")
            }
        }
    }
}

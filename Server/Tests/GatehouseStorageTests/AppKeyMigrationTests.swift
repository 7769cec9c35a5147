import TestDatabases
import Testing

@testable import GatehouseStorage

/// The migration that gives keys their app, with rows of before.
@Suite struct AppKeyMigrationTests {
    private static let tables: [(name: String, id: String)] = [
        ("sessions", "session_id"), ("forcing_tickets", "ticket_id"), ("bans", "ban_id"),
        ("grace_bans", "grace_ban_id"), ("jobs", "job_id"), ("login_attempts", "attempt_id"),
        ("revocations", "revocation_id"), ("refusals", "refusal_id"),
    ]

    @Test(
        "Rows and indexes of before stay as they were, and the app is a part of each key", arguments: Engine.available)
    func rows(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.migrate(Migration.all.filter { $0.number < 26 })
            for (table, _) in Self.tables { try await Self.fill(table, in: database) }
            try await database.transact { tx in
                try tx.execute("INSERT INTO spent_proofs (minute, proof_id) VALUES (7, \([1, 2] as [UInt8]))")
            }
            let before = try await Self.content(of: database, engine)
            try await database.migrate(Migration.all.filter { $0.number == 26 })
            #expect(try await Self.content(of: database, engine) == before)
            #expect(before.count > 8 * 3)
            for (table, id) in Self.tables {
                // The same id in another app.
                let list = try await Self.columns(of: table, in: database, engine).map(\.name).filter { $0 != "app_id" }
                    .joined(separator: ", ")
                try await Self.execute(
                    "INSERT INTO \(table) (app_id, \(list)) SELECT 'other', \(list) FROM \(table)", in: database)
                await #expect(throws: StorageError.self, "\(table).\(id)") {
                    try await Self.execute(
                        "INSERT INTO \(table) (app_id, \(list)) SELECT app_id, \(list) FROM \(table)", in: database)
                }
            }
            let app = try await database.rows("SELECT app_id FROM spent_proofs") { row in try row[0] as String }
            #expect(app == [""])
        }
    }

    /// Two rows with a different value in every column that may have one.
    private static func fill(_ table: String, in database: Database) async throws {
        let engine: TestDatabases.Engine = database.kind == "SQLite" ? .sqlite : .postgresql
        let columns = try await columns(of: table, in: database, engine)
        for row in 1...2 {
            let values = columns.enumerated().map { number, column in
                switch column.type.lowercased() {
                case "bigint": "\(row * 1_000 + number)"
                case "blob": "x'0\(row)ff'"
                case "bytea": "decode('0\(row)ff', 'hex')"
                default: column.name == "app_id" ? "'game'" : "'\(column.name) \(row) é'"
                }
            }
            try await execute(
                """
                INSERT INTO \(table) (\(columns.map(\.name).joined(separator: ", ")))
                VALUES (\(values.joined(separator: ", ")))
                """, in: database)
        }
    }

    private static func columns(
        of table: String, in database: Database, _ engine: TestDatabases.Engine
    ) async throws -> [(name: String, type: String)] {
        let statement: SQL =
            engine == .sqlite
            ? "SELECT name, type FROM pragma_table_info(\(table))"
            : """
            SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT) FROM information_schema.columns
            WHERE table_name = \(table) ORDER BY ordinal_position
            """
        return try await database.rows(statement) { row in (try row[0], try row[1]) }
    }

    /// Every value of every table, and the definition of every index but the keys'.
    private static func content(of database: Database, _ engine: TestDatabases.Engine) async throws -> [String] {
        var content: [String] = []
        for (table, id) in tables {
            let names = try await columns(of: table, in: database, engine).map(\.name)
            let list = names.joined(separator: ", ")
            content += try await database.rows(SQL(stringLiteral: "SELECT \(list) FROM \(table) ORDER BY \(id)")) {
                row in
                try names.indices.map { "\(names[$0]): \(try row.column($0))" }.joined(separator: ", ")
            }
            let indexes: SQL =
                engine == .sqlite
                ? "SELECT sql FROM sqlite_master WHERE type = 'index' AND sql IS NOT NULL AND tbl_name = \(table) ORDER BY 1"
                : """
                SELECT indexdef FROM pg_indexes WHERE tablename = \(table) AND indexname NOT LIKE '%_pkey' ORDER BY 1
                """
            content += try await database.rows(indexes) { row in try row[0] }
        }
        return content
    }

    private static func execute(_ text: String, in database: Database) async throws {
        _ = try await database.transact { tx in try tx.execute(SQL(stringLiteral: text)) }
    }
}

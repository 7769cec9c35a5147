import Foundation
import GatehouseStorage
import TestDatabases
import Testing

/// Copies from one engine to another, row by row.
@Suite(.timeLimit(.minutes(10))) struct DatabaseTransferTests {
    private static let schema = [
        Migration(
            number: 1, name: "owners",
            // By their names alone the tables would be copied in the wrong order.
            statements: [
                "CREATE TABLE owners (app TEXT NOT NULL, id BIGINT NOT NULL, PRIMARY KEY (app, id))",
                """
                CREATE TABLE belongings (
                    app TEXT NOT NULL, owner BIGINT NOT NULL, name TEXT NOT NULL, content \(.bytes), count BIGINT,
                    is_old BOOLEAN NOT NULL, PRIMARY KEY (name, app), FOREIGN KEY (app, owner) REFERENCES owners (app, id))
                """,
                "CREATE TABLE unused (id BIGINT NOT NULL PRIMARY KEY)",
            ])
    ]
    private static let columns: SQL = "app, owner, name, content, count, is_old"

    private struct Belonging: Hashable {
        let app: String
        let owner: Int64
        let name: String
        let content: [UInt8]?
        let count: Int64?
        let isOld: Bool

        init(_ row: Row) throws {
            app = try row[0]
            owner = try row[1]
            name = try row[2]
            content = try row[3]
            count = try row[4]
            isOld = try row[5]
        }
    }

    private static func belongings(_ database: Database) async throws -> [Belonging] {
        try await database.report { tx in
            try tx.rows("SELECT \(columns) FROM belongings") { try Belonging($0) }
        }
    }

    /// More rows than two pages have, and values at the ends of what a column holds.
    private static func fill(_ database: Database) async throws {
        try await database.transact { tx in
            for id in [Int64.min, 0, Int64.max] {
                for app in ["", "game", "ゲーム"] { try tx.execute("INSERT INTO owners (app, id) VALUES (\(app), \(id))") }
            }
            for number in 0..<4_100 {
                let app = number % 2 == 0 ? "game" : "ゲーム"
                let content: [UInt8]? = number % 3 == 0 ? nil : [0, UInt8(number % 256), 255]
                try tx.execute(
                    """
                    INSERT INTO belongings (\(columns))
                    VALUES (\(app), \(Int64.min), \("name \(number)'\" \\"), \(content), \(number % 5 == 0 ? nil : number), \(number % 7 == 0))
                    """)
            }
            try tx.execute(
                """
                INSERT INTO belongings (\(columns))
                VALUES (\(""), \(Int64.max), \(""), \([UInt8]()), \(Int64.min), \(true))
                """)
        }
    }

    @Test(
        "every row arrives, whatever it holds, and the source stays as it is", arguments: Engine.available,
        Engine.available)
    func everyRow(from: Engine, to: Engine) async throws {
        try await withLocation(from) { source in
            try await withOpen(source) { database in
                try await database.migrate(Self.schema)
                try await Self.fill(database)
            }
            try await withLocation(to) { target in
                var told: [String] = []
                let summary = try await DatabaseTransfer.copy(source, to: target, migrations: Self.schema) {
                    told.append($0)
                }
                #expect(summary.tables == 3 && summary.rows == 9 + 4_101)
                #expect(told == ["owners: 9 copied", "belongings: 4101 copied"])
                let before = try await withOpen(source) { try await Self.belongings($0) }
                let after = try await withOpen(target) { try await Self.belongings($0) }
                #expect(before.count == 4_101)
                #expect(Set(after) == Set(before) && after.count == before.count)
                // The copy is a database like any other, and is not overwritten.
                await #expect(throws: DatabaseCopyError.holdsData) {
                    _ = try await DatabaseTransfer.copy(source, to: target, migrations: Self.schema) { _ in }
                }
            }
        }
    }

    /// SQLite takes a text into a column of numbers, and PostgreSQL does not.
    @Test("a copy that fails leaves no row, and is repeated", arguments: Engine.available.filter { $0 == .postgresql })
    func interrupted(engine: Engine) async throws {
        try await withLocation(.sqlite) { source in
            try await withOpen(source) { database in
                try await database.migrate(Self.schema)
                try await Self.fill(database)
                try await database.transact { tx in
                    try tx.execute(
                        "UPDATE belongings SET count = \("many") WHERE name = (SELECT MAX(name) FROM belongings)")
                }
            }
            try await withLocation(engine) { target in
                var told: [String] = []
                await #expect(throws: StorageError.self) {
                    _ = try await DatabaseTransfer.copy(source, to: target, migrations: Self.schema) { told.append($0) }
                }
                #expect(told.contains("owners: 9 copied"))
                try await withOpen(target) { database in
                    let owners = try await database.report { tx in
                        try tx.first("SELECT COUNT(*) FROM owners") { row in try row[0] as Int }
                    }
                    #expect(owners == 0)
                }
                try await withOpen(source) { database in
                    try await database.transact { tx in
                        try tx.execute("UPDATE belongings SET count = 1 WHERE count = \("many")")
                    }
                }
                let summary = try await DatabaseTransfer.copy(source, to: target, migrations: Self.schema) { _ in }
                #expect(summary.rows == 9 + 4_101)
            }
        }
    }

    @Test("a database in use, of another version or without a schema is not copied", arguments: Engine.available)
    func refusals(engine: Engine) async throws {
        let newer =
            Self.schema + [
                Migration(number: 2, name: "more", statements: ["CREATE TABLE more (id BIGINT PRIMARY KEY)"])
            ]
        try await withLocation(engine) { source in
            try await withLocation(.sqlite) { target in
                await #expect(throws: DatabaseCopyError.self) {
                    _ = try await DatabaseTransfer.copy(source, to: target, migrations: Self.schema) { _ in }
                }
                try await withOpen(source) { database in
                    try await database.migrate(Self.schema)
                    let refusal = await #expect(throws: DatabaseCopyError.self) {
                        _ = try await DatabaseTransfer.copy(source, to: target, migrations: Self.schema) { _ in }
                    }
                    guard case .inUse? = refusal else {
                        Issue.record("\(String(describing: refusal))")
                        return
                    }
                }
                await #expect(throws: DatabaseCopyError.otherSchema("\(source)")) {
                    _ = try await DatabaseTransfer.copy(source, to: target, migrations: newer) { _ in }
                }
                let path = try #require(target.filePath)
                #expect(!FileManager.default.fileExists(atPath: path))
            }
        }
    }
}

import GatehouseStorage
import TestDatabases
import Testing

@Suite struct MigrationTests {
    private let first = Migration(number: 1, name: "first", statements: ["CREATE TABLE one (id BIGINT PRIMARY KEY)"])
    private let second = Migration(number: 2, name: "second", statements: ["CREATE TABLE two (id BIGINT PRIMARY KEY)"])

    @Test("Migrations run once, in order, and later ones later", arguments: Engine.available)
    func once(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            #expect(try await database.migrate([first]) == [1])
            #expect(try await database.migrate([first]) == [])
            #expect(try await database.migrate([second, first]) == [2])
            try await database.read { tx in _ = try tx.rows("SELECT id FROM two") { _ in 0 } }
        }
    }

    @Test("REL-11: a schema newer than the program is refused", arguments: Engine.available)
    func newer(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.migrate([first, second])
            await #expect(throws: StorageError.schemaTooNew(found: 2, known: 1)) { try await database.migrate([first]) }
        }
    }

    @Test("A migration that was changed after it ran is refused", arguments: Engine.available)
    func changed(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.migrate([first])
            let other = Migration(number: 1, name: "first", statements: ["CREATE TABLE one (id TEXT PRIMARY KEY)"])
            await #expect(throws: StorageError.migrationChanged(number: 1)) { try await database.migrate([other]) }
        }
    }

    @Test(
        "REL-11: a migration that stops at any of its statements leaves nothing, and runs when tried again",
        arguments: Engine.available)
    func stopped(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            let good: [SQL] = [
                "CREATE TABLE a (id BIGINT PRIMARY KEY)", "CREATE TABLE b (id BIGINT PRIMARY KEY)",
                "INSERT INTO a VALUES (1)",
            ]
            for stop in 0...good.count {
                var statements = good
                statements.insert("INSERT INTO nowhere VALUES (1)", at: stop)
                await #expect(throws: StorageError.self) {
                    try await database.migrate([first, Migration(number: 2, name: "second", statements: statements)])
                }
            }
            let applied = try await database.migrate([first, Migration(number: 2, name: "second", statements: good)])
            #expect(applied == [2])
        }
    }

    @Test("Of several processes that migrate at once one does", arguments: Engine.available)
    func atOnce(engine: Engine) async throws {
        try await withDatabase(engine) { database, location in
            var nodes = [database]
            for _ in 0..<3 { nodes.append(try await Database.open(location)) }
            let applied = try await withThrowingTaskGroup(of: [Int].self) { group in
                for node in nodes { group.addTask { try await node.migrate([first, second]) } }
                return try await group.reduce(into: []) { $0 += $1 }
            }
            #expect(applied.sorted() == [1, 2])
            for node in nodes.dropFirst() { await node.close() }
        }
    }

    @Test("Every migration of the product runs on an empty database", arguments: Engine.available)
    func all(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            let applied = try await database.migrate(Migration.all)
            #expect(applied == Migration.all.map(\.number))
        }
    }
}

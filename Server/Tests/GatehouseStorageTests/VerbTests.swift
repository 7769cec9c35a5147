import GatehouseStorage
import Synchronization
import TestDatabases
import Testing

/// What the bodies of each verb see and may do, on both engines.
@Suite struct VerbTests {
    private struct Refused: Error {}

    private func withItems(_ engine: Engine, _ test: (Database) async throws -> Void) async throws {
        try await withDatabase(engine, migrations: .missedRows, options: .patient) { database, _ in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")
                try tx.execute("INSERT INTO items VALUES (\(1), \(10))")
            }
            try await test(database)
        }
    }

    private static func count(in reader: Reader) throws -> Int {
        try reader.first("SELECT COUNT(*) FROM items") { row in try row[0] } ?? -1
    }

    private static func n(of id: Int, in reader: Reader) throws -> Int? {
        try reader.first("SELECT n FROM items WHERE id = \(id)") { row in try row[0] }
    }

    private static func count(_ database: Database) async throws -> Int {
        try await database.read { tx in try count(in: tx) }
    }

    private static func n(of id: Int, _ database: Database) async throws -> Int? {
        try await database.read { tx in try n(of: id, in: tx) }
    }

    @Test("A decision does not see its own writes, and they are there when it is done", arguments: Engine.available)
    func draft(engine: Engine) async throws {
        try await withItems(engine) { database in
            let seen = try await database.decide { draft in
                try draft.insert(into: "items", ["id": 2, "n": 20])
                try draft.update("items", set: "n = n + 1", where: ["id": 1])
                let count = try Self.count(in: draft)
                try draft.delete(from: "items", where: ["id": 1])
                return [count, try Self.n(of: 1, in: draft) ?? -1, try Self.count(in: draft)]
            }
            #expect(seen == [1, 10, 1])
            let found1 = try await Self.count(database)
            #expect(found1 == 1)
            let found2 = try await Self.n(of: 2, database)
            #expect(found2 == 20)
        }
    }

    @Test("A transaction sees its own writes, awaited or not", arguments: Engine.available)
    func transaction(engine: Engine) async throws {
        try await withItems(engine) { database in
            let seen = try await database.transact { tx in
                try tx.insert(into: "items", ["id": 2, "n": 20])
                let afterInsert = try Self.count(in: tx)
                try tx.update("items", set: "n = n + 1", where: ["id": 1])
                let afterUpdate = try Self.n(of: 1, in: tx) ?? -1
                let changed = try tx.execute("DELETE FROM items WHERE n > \(5)")
                return [afterInsert, afterUpdate, changed, try Self.count(in: tx)]
            }
            #expect(seen == [2, 11, 2, 0])
        }
    }

    @Test("A decision that throws after its writes leaves none of them", arguments: Engine.available)
    func thrown(engine: Engine) async throws {
        try await withItems(engine) { database in
            await #expect(throws: Refused.self) {
                try await database.decide { draft in
                    try draft.insert(into: "items", ["id": 2, "n": 20])
                    throw Refused()
                }
            }
            let found3 = try await Self.count(database)
            #expect(found3 == 1)
        }
    }

    @Test("A decision that is run again makes the writes of its last run only", arguments: Engine.available)
    func replayed(engine: Engine) async throws {
        try await withItems(engine) { database in
            let runs = Mutex(0)
            let last = try await database.decide { draft in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                try draft.insert(into: "items", ["id": 100 + run, "n": run])
                if run < 3 { throw StorageError.conflict }
                return run
            }
            #expect(last == 3)
            let ids = try await database.read { tx in
                try tx.rows("SELECT id FROM items WHERE id > \(100) ORDER BY id") { row in try row[0] as Int }
            }
            #expect(ids == [103])
        }
    }

    @Test("A decision of more reads than are replayed is carried out all the same", arguments: Engine.available)
    func manyReads(engine: Engine) async throws {
        try await withItems(engine) { database in
            let sum = try await database.decide { draft in
                var sum = 0
                for _ in 0..<20 { sum += try Self.n(of: 1, in: draft) ?? -1 }
                try draft.update("items", set: "n = \(sum)", where: ["id": 1])
                return sum
            }
            #expect(sum == 200)
            let found4 = try await Self.n(of: 1, database)
            #expect(found4 == 200)
        }
    }

    @Test("Nothing but a transaction writes by a statement with rows", arguments: Engine.available)
    func readOnly(engine: Engine) async throws {
        try await withItems(engine) { database in
            let delete: SQL = "DELETE FROM items WHERE id = \(1) RETURNING id"
            await #expect(throws: StorageError.readOnly) {
                try await database.read { tx in try tx.rows(delete) { row in try row[0] as Int } }
            }
            await #expect(throws: StorageError.readOnly) {
                try await database.report { tx in try tx.rows(delete) { row in try row[0] as Int } }
            }
            await #expect(throws: StorageError.readOnly) {
                try await database.decide { tx in try tx.rows(delete) { row in try row[0] as Int } }
            }
            let deleted = try await database.transact { tx in try tx.rows(delete) { row in try row[0] as Int } }
            #expect(deleted == [1])
        }
    }

    @Test("A body that has ignored a failed read fails with its error", arguments: Engine.available)
    func ignored(engine: Engine) async throws {
        try await withItems(engine) { database in
            await #expect(throws: StorageError.self) {
                try await database.decide { draft in
                    _ = try? draft.rows("SELECT id FROM nowhere") { row in try row[0] as Int }
                    try draft.insert(into: "items", ["id": 2, "n": 20])
                }
            }
            await #expect(throws: StorageError.self) {
                try await database.decide { draft in
                    _ = try? draft.rows("SELECT id FROM items") { row in try row[0] as String }
                    try draft.insert(into: "items", ["id": 2, "n": 20])
                }
            }
            let found5 = try await Self.count(database)
            #expect(found5 == 1)
        }
    }

    @Test("A text with NUL is refused before anything is written", arguments: Engine.available)
    func nul(engine: Engine) async throws {
        try await withItems(engine) { database in
            await #expect(throws: StorageError.nulInText) {
                try await database.decide { draft in
                    try draft.insert(into: "items", ["id": 2, "n": 20])
                    try draft.insert(into: "items", ["id": 3, "n": "a\u{0}b"])
                }
            }
            let found6 = try await Self.count(database)
            #expect(found6 == 1)
        }
    }
}

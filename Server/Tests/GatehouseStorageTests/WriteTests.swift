import GatehouseStorage
import Synchronization
import TestDatabases
import Testing

/// The contract of writes without an awaited result, for both engines: `insert`, `update` and `delete` with `ifTaken` and `ifMissed`, single
/// statements, and bodies that ask for another attempt.
@Suite struct WriteTests {
    private struct Taken: Error {}
    private struct Other: Error {}

    private let itemKey = UniqueConstraint.primaryKey(of: "items", "id")

    @Test(
        "A write of a transaction is part of it, and is seen by its next statement", arguments: Engine.available)
    func seenAfterwards(engine: Engine) async throws {
        try await withItems(engine) { database in
            let seen = try await database.transact { tx in
                try tx.insert(into: "items", ["id": 1])
                try tx.insert(into: "items", ["id": 2])
                let seen = try tx.rows("SELECT id FROM items ORDER BY id") { row in try row[0] as Int }
                try tx.insert(into: "items", ["id": 3])
                return seen
            }
            #expect(seen == [1, 2])
            #expect(try await Self.items(database) == [1, 2, 3])
        }
    }

    @Test("A row that is taken fails the whole transaction, with the error that it means", arguments: Engine.available)
    func taken(engine: Engine) async throws {
        try await withItems(engine) { database in
            try await database.transact { tx in try tx.execute("INSERT INTO items VALUES (\(7))") }
            // It is detected by the commit, by a later statement, and with a statement before it.
            await #expect(throws: Taken.self) {
                try await database.transact { tx in
                    try tx.execute("INSERT INTO items VALUES (\(1))")
                    try tx.insert(into: "items", ["id": 7], ifTaken: [itemKey: Taken()])
                }
            }
            await #expect(throws: Taken.self) {
                try await database.transact { tx in
                    try tx.insert(into: "items", ["id": 1])
                    try tx.insert(into: "items", ["id": 7], ifTaken: [itemKey: Taken()])
                    try tx.execute("INSERT INTO items VALUES (\(2))")
                }
            }
            await #expect {
                try await database.transact { tx in try tx.insert(into: "items", ["id": 7]) }
            } throws: { error in
                if case .duplicate? = error as? StorageError { true } else { false }
            }
            #expect(try await Self.items(database) == [7])
            // The connection is still usable.
            try await database.transact { tx in try tx.insert(into: "items", ["id": 8]) }
            #expect(try await Self.items(database) == [7, 8])
        }
    }

    @Test("Drafts of a transaction are written together, each in its order, or not at all", arguments: Engine.available)
    func drafts(engine: Engine) async throws {
        try await withItems(engine) { database in
            let seen = try await database.transact { tx in
                let drafts = try (1...100).map { id in
                    let draft = tx.draft()
                    try draft.insert(into: "items", ["id": id])
                    if id.isMultiple(of: 2) { try draft.delete(from: "items", where: ["id": id]) }
                    return draft
                }
                #expect(try tx.first("SELECT id FROM items", { row in try row[0] as Int }) == nil)
                try tx.write(drafts)
                return try tx.rows("SELECT id FROM items ORDER BY id") { row in try row[0] as Int }
            }
            #expect(seen == Array(stride(from: 1, to: 100, by: 2)))
            let violation = await #expect(throws: StorageError.self) {
                try await database.transact { tx in
                    try tx.write(
                        [200, 7, 201].map { id in
                            let draft = tx.draft()
                            try draft.insert(into: "items", ["id": id])
                            return draft
                        })
                }
            }
            if case .duplicate? = violation {} else { Issue.record("\(String(describing: violation))") }
            // The only draft's errors are known.
            await #expect(throws: Taken.self) {
                try await database.transact { tx in
                    let draft = tx.draft()
                    try draft.insert(into: "items", ["id": 7], ifTaken: [itemKey: Taken()])
                    try tx.write([draft])
                }
            }
            #expect(try await Self.items(database) == seen)
        }
    }

    @Test("A body that throws after a statement for later has failed keeps nothing", arguments: Engine.available)
    func thrownAfterwards(engine: Engine) async throws {
        try await withItems(engine) { database in
            try await database.transact { tx in try tx.execute("INSERT INTO items VALUES (\(7))") }
            for _ in 0..<10 {
                await #expect(throws: (any Error).self) {
                    try await database.transact { tx in
                        try tx.insert(into: "items", ["id": 1])
                        try tx.insert(into: "items", ["id": 7])
                        throw Taken()
                    }
                }
            }
            #expect(try await Self.items(database) == [7])
        }
    }

    @Test(
        "A statement that can't be prepared fails its transaction, and the next one works", arguments: Engine.available)
    func unprepared(engine: Engine) async throws {
        try await withItems(engine) { database in
            for _ in 0..<10 {
                await #expect(throws: (any Error).self) {
                    try await database.transact { tx in
                        try tx.insert(into: "nowhere", ["id": 1])
                        try tx.insert(into: "items", ["id": 5])
                    }
                }
            }
            try await database.transact { tx in try tx.insert(into: "items", ["id": 5]) }
            #expect(try await Self.items(database) == [5])
        }
    }

    @Test("A body that has lost a race is run again, a bounded number of times", arguments: Engine.available)
    func conflicts(engine: Engine) async throws {
        try await withItems(engine) { database in
            let runs = Mutex(0)
            let made = try await database.transact { tx in
                let run = runs.withLock { runs in
                    runs += 1
                    return runs
                }
                try tx.execute("INSERT INTO items VALUES (\(run))")
                if run < 4 { throw StorageError.conflict }
                return run
            }
            #expect(made == 4)
            #expect(try await Self.items(database) == [4])
            runs.withLock { $0 = 0 }
            await #expect(throws: StorageError.conflict) {
                try await database.transact { _ in
                    runs.withLock { $0 += 1 }
                    throw StorageError.conflict
                }
            }
            // PostgreSQL has first tried it in a batch.
            let attempts = DatabaseOptions().attempts
            #expect((attempts...attempts + 1).contains(runs.withLock { $0 }))
        }
    }

    @Test(
        "Single statements that go together each get their own rows, and a failing one harms no other",
        arguments: Engine.available)
    func rows(engine: Engine) async throws {
        try await withItems(engine) { database in
            try await database.transact { tx in
                for id in 0..<100 { try tx.insert(into: "items", ["id": id]) }
            }
            try await withThrowingTaskGroup(of: (Int, [Int]?).self) { group in
                for id in 0..<200 {
                    group.addTask {
                        guard id % 10 != 3 else {
                            return (id, try? await database.rows("SELECT id FROM nowhere") { row in try row[0] })
                        }
                        return (
                            id, try await database.rows("SELECT id FROM items WHERE id = \(id)") { row in try row[0] }
                        )
                    }
                }
                for try await (id, rows) in group {
                    #expect(rows == (id % 10 == 3 ? nil : id < 100 ? [id] : []))
                }
            }
            await #expect(throws: StorageError.unexpectedValue(expected: "text", found: "integer")) {
                try await database.rows("SELECT id FROM items") { row in try row[0] as String }
            }
            await #expect(throws: (any Error).self) {
                try await database.rows("INSERT INTO items VALUES (\(1_000)) RETURNING id") { row in try row[0] as Int }
            }
            #expect(try await Self.items(database).count == 100)
        }
    }

    @Test(
        "A statement that must change a row and finds none fails its transaction, and no other's",
        arguments: Engine.available)
    func missed(engine: Engine) async throws {
        try await withItems(engine) { database in
            try await database.transact { tx in try tx.execute("INSERT INTO items VALUES (\(7))") }
            // It is detected by the commit, and by a statement after it.
            await #expect(throws: Taken.self) {
                try await database.transact { tx in
                    try tx.insert(into: "items", ["id": 1])
                    try tx.update("items", set: "id = \(9)", where: ["id": 8], ifMissed: Taken())
                }
            }
            await #expect(throws: Taken.self) {
                try await database.transact { tx in
                    try tx.delete(from: "items", where: ["id": 8], ifMissed: Taken())
                    try tx.execute("INSERT INTO items VALUES (\(2))")
                }
            }
            try await database.transact { tx in
                try tx.update("items", set: "id = \(8)", where: ["id": 7], ifMissed: Taken())
            }
            #expect(try await Self.items(database) == [8])
        }
    }

    @Test("Changes that rest on what was read lose nothing, however many come at once", arguments: Engine.available)
    func optimistic(engine: Engine) async throws {
        try await withDatabase(engine, migrations: .missedRows, options: .patient) { database, location in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE counters (name TEXT PRIMARY KEY, value BIGINT)")
                for name in 0..<8 { try tx.execute("INSERT INTO counters VALUES (\("c\(name)"), \(0))") }
            }
            let other = try await Database.open(location, options: .patient)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<160 {
                    let node = number % 2 == 0 ? database : other
                    let name = "c\(number % 8)"
                    group.addTask {
                        // A body that has lost too many times is requested again, as a caller would.
                        while true {
                            do {
                                return try await node.decide { draft in
                                    let value = try draft.first("SELECT value FROM counters WHERE name = \(name)") {
                                        row in
                                        try row[0] as Int
                                    }
                                    guard let value else { throw Taken() }
                                    try draft.update(
                                        "counters", set: "value = \(value + 1)", where: ["name": name],
                                        and: "value = \(value)", ifMissed: StorageError.conflict)
                                }
                            } catch StorageError.conflict {}
                        }
                    }
                }
                try await group.waitForAll()
            }
            await other.close()
            let values = try await database.rows("SELECT value FROM counters ORDER BY name") { row in try row[0] as Int
            }
            #expect(values == Array(repeating: 20, count: 8))
        }
    }

    private func withItems(_ engine: Engine, _ test: (Database) async throws -> Void) async throws {
        try await withDatabase(engine, migrations: .missedRows) { database, _ in
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            try await test(database)
        }
    }

    private static func items(_ database: Database) async throws -> [Int] {
        try await database.rows("SELECT id FROM items ORDER BY id") { row in try row[0] }
    }
}

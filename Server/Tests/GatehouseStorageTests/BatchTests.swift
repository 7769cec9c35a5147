import GatehouseStorage
import Synchronization
import TestDatabases
import Testing

/// Concurrent bodies are run as one batch, without a visible difference.
@Suite struct BatchTests {
    private struct Refused: Error, Equatable {}

    private let itemKey = UniqueConstraint.primaryKey(of: "items", "id")

    /// Runs the bodies as one batch, if the engine makes one, and returns their results.
    ///
    /// - Parameter before: what the same connection does first.
    private func together(
        _ engine: Engine, _ bodies: [@Sendable (Draft) throws -> Int],
        before: (Database) async throws -> Void = { _ in },
        check: (_ outcomes: [Result<Int, any Error>], _ batches: [Int], Database) async throws -> Void
    ) async throws {
        let commits = Mutex<[Int]>([])
        var events = StorageEvents()
        events.committed = { writes in commits.withLock { $0.append(writes) } }
        var options = DatabaseOptions.patient
        options.connections = 1
        try await withLocation(engine) { location in
            let database = try await Database.open(location, options: options, events: events)
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, n BIGINT, t TEXT, b \(.bytes))")
                for id in 1...3 { try tx.execute("INSERT INTO items (id, n) VALUES (\(id), \(0))") }
            }
            try await before(database)
            commits.withLock { $0 = [] }
            let hold = Hold()
            async let held: Int = database.decide { _ in
                hold.wait()
                return 0
            }
            try await hold.reached()
            let outcomes = try await withThrowingTaskGroup(of: (Int, Result<Int, any Error>).self) { group in
                for (index, body) in bodies.enumerated() {
                    // They are added in order, because a batch keeps the order of requests.
                    group.addTask {
                        do {
                            return (index, .success(try await database.decide(body)))
                        } catch {
                            return (index, .failure(error))
                        }
                    }
                    while database.waiting.writes <= index { try await Task.sleep(for: .milliseconds(1)) }
                }
                hold.open()
                return try await group.reduce(into: [Int: Result<Int, any Error>]()) { $0[$1.0] = $1.1 }
            }
            _ = try await held
            try await check(
                bodies.indices.compactMap { outcomes[$0] }, commits.withLock { $0 }.filter { $0 > 1 }, database)
            await database.close()
        }
    }

    @Test(
        "Bodies that ask and write alike are committed as one, each with its own rows",
        arguments: Engine.available)
    func alike(engine: Engine) async throws {
        let bodies = (0..<20).map { number in
            { @Sendable (tx: Draft) throws -> Int in
                let found = try tx.first("SELECT n FROM items WHERE id = \(number % 5)") { row in try row[0] as Int }
                let isOdd = number % 2 == 1
                try tx.insert(
                    into: "items",
                    [
                        "id": 100 + number, "n": isOdd ? number : nil as Int?,
                        "t": isOdd ? nil as String? : "t,{\(number)}\"\\'", "b": [UInt8(number), 0, 255],
                    ])
                return found ?? -1
            }
        }
        try await together(engine, bodies) { outcomes, batches, database in
            #expect(batches.contains { $0 >= 20 })
            for (number, outcome) in outcomes.enumerated() {
                #expect(try outcome.get() == ((1...3).contains(number % 5) ? 0 : -1))
            }
            let stored = try await database.read { tx in
                try tx.rows("SELECT id, n, t, b FROM items WHERE id >= \(100) ORDER BY id") { row in
                    (try row[0] as Int, try row[1] as Int?, try row[2] as String?, try row[3] as [UInt8])
                }
            }
            #expect(stored.count == 20)
            for (index, row) in stored.enumerated() {
                #expect(row.0 == 100 + index)
                #expect(row.1 == (index % 2 == 1 ? index : nil))
                #expect(row.2 == (index % 2 == 1 ? nil : "t,{\(index)}\"\\'"))
                #expect(row.3 == [UInt8(index), 0, 255])
            }
        }
    }

    @Test(
        "Updates of one row in one batch happen all, in the order of their bodies",
        arguments: Engine.available)
    func sameRow(engine: Engine) async throws {
        let bodies = (1...12).map { number in
            { @Sendable (tx: Draft) throws -> Int in
                try tx.update("items", set: "n = n * 2 + \(number)", where: ["id": number % 2 + 1])
                try tx.update("items", set: "t = \("last \(number)")", where: ["id": 3])
                return number
            }
        }
        try await together(engine, bodies) { outcomes, batches, database in
            #expect(batches.contains { $0 >= 12 })
            let stored = try await database.read { tx in
                try tx.rows("SELECT n, t FROM items ORDER BY id") { row in (try row[0] as Int, try row[1] as String?) }
            }
            let even = stride(from: 2, through: 12, by: 2).reduce(0) { $0 * 2 + $1 }
            let odd = stride(from: 1, through: 11, by: 2).reduce(0) { $0 * 2 + $1 }
            #expect(stored.map(\.0) == [even, odd, 0])
            #expect(stored[2].1 == "last 12")
        }
    }

    @Test(
        "One that fails takes nothing from the others, whatever it fails by",
        arguments: Engine.available)
    func failures(engine: Engine) async throws {
        let bodies: [@Sendable (Draft) throws -> Int] = [
            { tx in
                try tx.insert(into: "items", ["id": 10, "n": 1])
                return 10
            },
            { tx in
                try tx.insert(into: "items", ["id": 1, "n": 1], ifTaken: [itemKey: Refused()])
                return 1
            },
            { tx in
                try tx.insert(into: "items", ["id": 11, "n": 1])
                throw Refused()
            },
            { tx in
                try tx.insert(into: "items", ["id": 12, "n": "text"])
                try tx.insert(into: "nowhere", ["id": 12])
                return 12
            },
            { tx in
                try tx.insert(into: "items", ["id": 10, "n": 2], ifTaken: [itemKey: Refused()])
                return 10
            },
            { tx in
                try tx.update("items", set: "n = \(7)", where: ["id": 2])
                return try tx.first("SELECT n FROM items WHERE id = \(2)") { row in try row[0] as Int } ?? -1
            },
            { tx in
                try tx.insert(into: "items", ["id": 13, "n": 1])
                return try tx.first("SELECT n FROM items WHERE id = \(13)") { row in try row[0] as Int } ?? -1
            },
            { tx in
                try tx.delete(from: "items", where: ["id": 3])
                return 3
            },
        ]
        try await together(engine, bodies) { outcomes, _, database in
            func failure(_ index: Int) -> (any Error)? {
                if case .failure(let error) = outcomes[index] { error } else { nil }
            }
            #expect(failure(1) is Refused)
            #expect(failure(2) is Refused)
            #expect(failure(3) is StorageError)
            // Either of the two with the same id may be first, but it must be one of them.
            #expect(
                [failure(0) == nil, failure(4) is Refused] == [true, true] || failure(0) != nil && failure(4) == nil)
            // A draft does not see its own writes.
            #expect(try outcomes[5].get() == 0)
            #expect(try outcomes[6].get() == -1)
            let ids = try await database.read { tx in
                try tx.rows("SELECT id FROM items ORDER BY id") { row in try row[0] as Int }
            }
            #expect(ids == [1, 2, 10, 13])
        }
    }

    @Test(
        "After a statement that failed as an outage, before the commit, the connection's next batch is one",
        arguments: Engine.available.filter { $0 == .postgresql })
    func outageBeforeCommit(engine: Engine) async throws {
        let bodies = (0..<20).map { number in
            { @Sendable (tx: Draft) throws -> Int in
                let found = try tx.first("SELECT n FROM items WHERE id = \(number % 3 + 1)") { row in try row[0] as Int
                }
                try tx.insert(into: "items", ["id": 100 + number, "n": number])
                return found ?? -1
            }
        }
        try await together(engine, bodies) { database in
            try await database.transact { tx in
                // Citus says so when it has lost the node that has the rows.
                try tx.execute(
                    """
                    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                        RAISE EXCEPTION 'connection to the remote node failed' USING ERRCODE = '08006';
                    END $$
                    """)
                try tx.execute(
                    "CREATE TRIGGER lose BEFORE INSERT ON items FOR EACH ROW WHEN (NEW.n = -13) EXECUTE FUNCTION lose()"
                )
            }
            await #expect {
                try await database.decide { draft in try draft.insert(into: "items", ["id": 50, "n": -13]) }
            } throws: { error in
                if case .unavailable? = error as? StorageError { true } else { false }
            }
        } check: { outcomes, batches, _ in
            #expect(batches.contains { $0 >= 20 }, "\(batches)")
            let found = try outcomes.map { try $0.get() }
            #expect(found.allSatisfy { $0 == 0 })
        }
    }

    @Test("One that violates a constraint sends no more than itself out of the batch", arguments: Engine.available)
    func culprit(engine: Engine) async throws {
        let bodies = (0..<20).map { number in
            { @Sendable (tx: Draft) throws -> Int in
                try tx.insert(into: "items", ["id": number == 7 ? 1 : 100 + number, "n": number])
                return number
            }
        }
        try await together(engine, bodies) { outcomes, batches, database in
            #expect(batches.reduce(0, +) >= 16, "\(batches)")
            for (number, outcome) in outcomes.enumerated() {
                if case .success = outcome { #expect(number != 7) } else { #expect(number == 7) }
            }
            let count = try await database.read { tx in
                try tx.first("SELECT COUNT(*) FROM items WHERE id >= 100") { row in try row[0] as Int }
            }
            #expect(count == 19)
        }
    }

    @Test(
        "Writers over the same rows in many orders all come through",
        arguments: Engine.available)
    func contention(engine: Engine) async throws {
        try await withDatabase(engine) { database, location in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")
                for id in 0..<8 { try tx.execute("INSERT INTO items (id, n) VALUES (\(id), \(0))") }
            }
            // This is another node, if the engine supports several.
            let other = engine == .postgresql ? try await Database.open(location, options: .patient) : database
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<400 {
                    let (one, two) = (number % 8, (number * 5 + 3) % 8)
                    group.addTask {
                        let node = number % 2 == 0 ? database : other
                        if number % 3 == 0 {
                            try await node.transact { tx in
                                try tx.update("items", set: "n = n + \(1)", where: ["id": one])
                                try tx.execute("UPDATE items SET n = n + 1 WHERE id = \(two)")
                            }
                        } else {
                            try await node.decide { draft in
                                try draft.update("items", set: "n = n + \(1)", where: ["id": one])
                                try draft.update("items", set: "n = n + 1", where: ["id": two])
                            }
                        }
                    }
                }
                try await group.waitForAll()
            }
            let sum = try await database.read { tx in
                try tx.first("SELECT CAST(SUM(n) AS BIGINT) FROM items") { row in try row[0] as Int }
            }
            #expect(sum == 800)
            if engine == .postgresql { await other.close() }
        }
    }
}

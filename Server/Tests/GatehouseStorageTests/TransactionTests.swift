import GatehouseStorage
import Synchronization
import TestDatabases
import Testing

@Suite struct TransactionTests {
    struct Rejected: Error, Equatable {}

    private func count(_ database: Database) async throws -> Int {
        try await database.read { tx in try tx.first("SELECT COUNT(*) FROM items") { row in try row[0] as Int } } ?? -1
    }

    @Test("A body that fails keeps nothing, and takes nothing from its batch", arguments: Engine.available)
    func failureInABatch(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            let kept = await withTaskGroup(of: Bool.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        do {
                            try await database.transact { tx in
                                try tx.execute("INSERT INTO items VALUES (\(number))")
                                if number % 10 == 3 { throw Rejected() }
                            }
                            return true
                        } catch {
                            return false
                        }
                    }
                }
                return await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
            #expect(kept == 180)
            #expect(try await count(database) == 180)
        }
    }

    @Test(
        "After a failed statement the body's others fail alike, and nothing of it is kept", arguments: Engine.available)
    func failedStatement(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            let failures = Mutex(0)
            await #expect {
                try await database.transact { tx in
                    // A body may run twice.
                    failures.withLock { $0 = 0 }
                    try tx.execute("INSERT INTO items VALUES (\(1))")
                    for number in [1, 1, 2] {
                        do {
                            try tx.execute("INSERT INTO items VALUES (\(number))")
                        } catch StorageError.duplicate {
                            failures.withLock { $0 += 1 }
                        }
                    }
                }
            } throws: { error in
                if case .duplicate? = error as? StorageError { true } else { false }
            }
            #expect(failures.withLock { $0 } == 3)
            // The body ignored the failure. Its statement about what it wrote can't be trusted, so neither engine keeps anything.
            #expect(try await count(database) == 0)
        }
    }

    @Test("A read can't write", arguments: Engine.available)
    func readOnly(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            await #expect(throws: StorageError.readOnly) {
                try await database.read { tx in
                    try tx.rows("INSERT INTO items VALUES (\(1)) RETURNING id") { row in try row[0] as Int }
                }
            }
            try await database.transact { tx in try tx.execute("INSERT INTO items VALUES (\(1))") }
            #expect(try await count(database) == 1)
        }
    }

    @Test("Of two hundred writers of one key one wins", arguments: Engine.available)
    func uniqueRace(engine: Engine) async throws {
        try await withDatabase(engine) { database, location in
            let second = try await Database.open(location)
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, who BIGINT)")
            }
            let winners = try await withThrowingTaskGroup(of: Int.self) { group in
                for number in 0..<200 {
                    group.addTask {
                        try await (number % 2 == 0 ? database : second).transact { tx in
                            try tx.execute("INSERT INTO items VALUES (\(1), \(number)) ON CONFLICT (id) DO NOTHING")
                        }
                    }
                }
                return try await group.reduce(0, +)
            }
            #expect(winners == 1)
            await second.close()
        }
    }

    @Test("REL-1: what was acknowledged is there after the database was opened anew", arguments: Engine.available)
    func reopen(engine: Engine) async throws {
        try await withLocation(engine) { location in
            let first = try await Database.open(location)
            try await first.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)")
                try tx.execute("INSERT INTO items VALUES (\(1))")
            }
            await first.close()
            await #expect(throws: StorageError.closed) { try await first.ping() }
            let second = try await Database.open(location)
            #expect(try await count(second) == 1)
            await second.close()
        }
    }

    @Test("Closing finishes what was accepted", arguments: Engine.available)
    func closeDrains(engine: Engine) async throws {
        try await withLocation(engine) { location in
            let database = try await Database.open(location)
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            let accepted = await withTaskGroup(of: Int.self) { group in
                for number in 0..<100 {
                    group.addTask {
                        let isKept = try? await database.transact { tx in
                            try tx.execute("INSERT INTO items VALUES (\(number))")
                        }
                        return isKept ?? 0
                    }
                }
                group.addTask {
                    await database.close()
                    return 0
                }
                return await group.reduce(0, +)
            }
            let again = try await Database.open(location)
            #expect(try await count(again) == accepted)
            await again.close()
        }
    }

    @Test(
        "A transaction that has begun is finished when the task that waits for it is cancelled",
        arguments: Engine.available)
    func cancelled(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            let hold = Hold()
            let write = Task {
                try await database.transact { tx in
                    hold.wait()
                    try tx.execute("INSERT INTO items VALUES (\(1))")
                }
            }
            try await hold.reached()
            write.cancel()
            hold.open()
            try await write.value
            #expect(try await count(database) == 1)
        }
    }

    @Test("REL-9: when too much waits, more is refused at once", arguments: Engine.available)
    func overload(engine: Engine) async throws {
        var options = DatabaseOptions()
        options.queueLimit = 4
        options.connections = 1
        try await withDatabase(engine, options: options) { database, _ in
            let hold = Hold()
            let refused = await withTaskGroup(of: Bool.self) { group in
                for _ in 0..<50 {
                    group.addTask {
                        do {
                            // Blocks the only writer until every call has been made.
                            try await database.decide { _ in hold.wait() }
                            return false
                        } catch {
                            return (error as? StorageError) == .overloaded
                        }
                    }
                }
                var refused = 0
                for await isRefused in group {
                    refused += isRefused ? 1 : 0
                    // One runs, and at most its batch and four more wait.
                    if refused >= 40 { hold.open() }
                }
                return refused
            }
            #expect(refused >= 40)
            try await database.ping()
        }
    }

    @Test("A memory database reads what it writes, and keeps reads from writing")
    func memory() async throws {
        let database = try await Database.open(DatabaseLocation("sqlite::memory:"))
        try await database.transact { tx in
            try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)")
            try tx.execute("INSERT INTO items VALUES (\(1))")
        }
        #expect(try await count(database) == 1)
        await #expect(throws: StorageError.readOnly) {
            try await database.read { tx in
                try tx.rows("DELETE FROM items RETURNING id") { row in try row[0] as Int }
            }
        }
        #expect(try await count(database) == 1)
        await database.close()
    }
}

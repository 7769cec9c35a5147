import Foundation
import GatehouseStorage
import Synchronization
import TestDatabases
import Testing

@Suite struct EngineTests {
    /// Counts across closures on several threads.
    final class Counter: Sendable {
        private let count = Atomic(0)
        var value: Int { count.load(ordering: .acquiring) }
        func add() { count.add(1, ordering: .acquiringAndReleasing) }
    }

    @Test(
        "A location says what is wrong with it, and never its password",
        arguments: [
            "", "mysql://a@b/c", "sqlite:", "file.db", "postgres://", "/var/lib/file.db",
        ])
    func wrongLocation(text: String) {
        #expect(throws: DatabaseLocation.Invalid.self) { try DatabaseLocation(text) }
    }

    @Test("A location is printed without its password")
    func printedLocation() throws {
        let location = try DatabaseLocation("postgres://user:hunter2@db.example.com:5433/game?sslmode=require")
        #expect("\(location)" == "postgres://db.example.com:5433/game")
        #expect(try DatabaseLocation("sqlite:/var/lib/g.db").filePath == "/var/lib/g.db")
        #expect(try DatabaseLocation("sqlite:///var/lib/g.db").filePath == "/var/lib/g.db")
        #expect(try DatabaseLocation("sqlite::memory:").filePath == nil)
    }

    @Test("A SQLite file is for its owner only, and is whole after closing")
    func sqliteFile() async throws {
        try await withLocation(.sqlite) { location in
            let path = try #require(location.filePath)
            let database = try await Database.open(location)
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            for file in [path, path + "-wal"] {
                let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
                #expect(mode == 0o600)
            }
            await database.close()
            #expect(!FileManager.default.fileExists(atPath: path + "-wal"))
        }
    }

    @Test("Of several that open a new SQLite file at once, each waits for the other")
    func openedAtOnce() async throws {
        for _ in 0..<40 {
            try await withLocation(.sqlite) { location in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<6 {
                        group.addTask {
                            let database = try await Database.open(location)
                            try await database.transact { tx in
                                try tx.execute("CREATE TABLE IF NOT EXISTS items (id BIGINT PRIMARY KEY)")
                            }
                            await database.close()
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test(
        "A place that can't be opened is a clear error",
        arguments: [
            "sqlite:/nowhere/at/all.db", "postgres://nobody@127.0.0.1:1/none",
        ])
    func unopenable(text: String) async throws {
        await #expect {
            _ = try await Database.open(DatabaseLocation(text))
        } throws: { error in
            if case .unavailable? = error as? StorageError { true } else { false }
        }
    }

    @Test("Group commit: many waiting writes take few commits")
    func groupCommit() async throws {
        let commits = Mutex<[Int]>([])
        var events = StorageEvents()
        events.committed = { writes in commits.withLock { $0.append(writes) } }
        try await withLocation(.sqlite) { location in
            let database = try await Database.open(location, events: events)
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<500 {
                    group.addTask {
                        _ = try await database.transact { tx in try tx.execute("INSERT INTO items VALUES (\(number))") }
                    }
                }
                try await group.waitForAll()
            }
            #expect(commits.withLock { $0.reduce(0, +) } == 501)
            #expect(commits.withLock { $0.count } < 250)
            await database.close()
        }
    }

    @Test(
        "REL-4: connections that PostgreSQL has ended are made anew",
        .enabled(if: Engine.available.contains(.postgresql)))
    func reconnect() async throws {
        let losses = Counter()
        var events = StorageEvents()
        events.disconnected = { _ in losses.add() }
        try await withLocation(.postgresql) { location in
            let database = try await Database.open(location, events: events)
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            let other = try await Database.open(location)
            try await other.transact { tx in
                _ = try tx.rows(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid()
                    """
                ) { _ in 0 }
            }
            // The other database's connections were ended too; both open new ones by themselves. PostgreSQL ends them asynchronously,
            // on a busy machine only after some writes.
            var number = 0
            while number < 20 || (losses.value == 0 && number < 20_000) {
                let row = number
                try await database.transact { tx in try tx.execute("INSERT INTO items VALUES (\(row))") }
                try await other.ping()
                number += 1
            }
            #expect(losses.value >= 1)
            await other.close()
            await database.close()
        }
    }

    @Test(
        "Transactions that lock each other out are tried again, and both succeed",
        .enabled(if: Engine.available.contains(.postgresql)))
    func deadlock() async throws {
        let retries = Counter()
        var events = StorageEvents()
        events.retried = { retries.add() }
        try await withLocation(.postgresql) { location in
            let database = try await Database.open(location, events: events)
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, n BIGINT NOT NULL)")
                try tx.execute("INSERT INTO items VALUES (1, 0), (2, 0)")
            }
            let arrived = Counter()
            try await withThrowingTaskGroup(of: Void.self) { group in
                for order in [[1, 2], [2, 1]] {
                    group.addTask {
                        try await database.transact { tx in
                            try tx.execute("UPDATE items SET n = n + 1 WHERE id = \(order[0])")
                            arrived.add()
                            // Both lock their first row before either requests its second.
                            while arrived.value < 2 { usleep(1_000) }
                            try tx.execute("UPDATE items SET n = n + 1 WHERE id = \(order[1])")
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(retries.value >= 1)
            let sums = try await database.read { tx in try tx.rows("SELECT n FROM items") { row in try row[0] as Int } }
            #expect(sums == [2, 2])
            await database.close()
        }
    }

    @Test("A failed statement's error holds none of its values", arguments: Engine.available)
    func errorsHoldNoValues(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (k TEXT PRIMARY KEY)")
                try tx.execute("INSERT INTO items VALUES (\("canary-secret"))")
            }
            do {
                try await database.transact { tx in try tx.execute("INSERT INTO items VALUES (\("canary-secret"))") }
                Issue.record("the second insert should have failed")
            } catch {
                #expect(!"\(error)".contains("canary"))
            }
        }
    }
}

import Synchronization
import TestDatabases
import Testing

@testable import GatehouseStorage

@Suite struct PatienceTests {
    @Test(
        "REL-9: a write that has waited too long is refused, not done late",
        arguments: TestDatabases.Engine.available)
    func patience(engine: TestDatabases.Engine) async throws {
        var options = DatabaseOptions()
        options.patienceSeconds = 2
        options.connections = 1
        let clock = ManualClock()
        options.clock = { clock.nanoseconds }
        try await withDatabase(engine, options: options) { database, _ in
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            let hold = Hold()
            async let held: Void = database.decide { _ in hold.wait() }
            try await hold.reached()
            async let late: Void = database.decide { draft in try draft.insert(into: "items", ["id": 1]) }
            while database.waiting.writes == 0 { try await Task.sleep(for: .milliseconds(1)) }
            clock.advance(seconds: 3)
            hold.open()
            try await held
            do {
                try await late
                Issue.record("the late write should have been refused")
            } catch {
                #expect(error as? StorageError == .overloaded)
            }
            #expect(try await ids(database) == [])
            try await database.transact { tx in try tx.execute("INSERT INTO items VALUES (2)") }
            #expect(try await ids(database) == [2])
        }
    }

    private func ids(_ database: Database) async throws -> [Int] {
        try await database.rows("SELECT id FROM items ORDER BY id") { row in try row[0] }
    }
}

/// Time passes only when a test says so.
private final class ManualClock: Sendable {
    private let now = Mutex<UInt64>(1)

    var nanoseconds: UInt64 { now.withLock { $0 } }

    func advance(seconds: UInt64) { now.withLock { $0 += seconds * 1_000_000_000 } }
}

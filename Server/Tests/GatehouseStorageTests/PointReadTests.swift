import Synchronization
import TestDatabases
import Testing

@testable import GatehouseStorage

/// Reads on the caller's thread, and when they are left to the engine's threads.
@Suite struct PointReadTests {
    @Test("A caller reads on its own thread, and sees what was committed before")
    func reads() throws {
        let connection = StubConnection()
        let reads = pointReads([connection])
        #expect(try read(reads) == [1])
        #expect(connection.reads == 1)
    }

    @Test("While every connection is in use, a read is enqueued")
    func inUse() throws {
        let connection = StubConnection()
        let reads = pointReads([connection])
        var second: [Int]? = [0]
        connection.whileReading = { second = try read(reads) }
        #expect(try read(reads) == [1])
        #expect(second == nil)
        connection.whileReading = {}
        #expect(try read(reads) == [1])
    }

    @Test("After a read that waited for the disk, the next ones are enqueued for a tenth of a second")
    func slowDisk() throws {
        let connection = StubConnection()
        let clock = Counter()
        let waits = Counter()
        let reads = pointReads([connection], clock: clock, waits: waits)
        connection.whileReading = {
            clock.add(PointReads.slowNanoseconds + 1)
            waits.add(1)
        }
        #expect(try read(reads) == [1])
        connection.whileReading = {}
        clock.add(PointReads.pauseNanoseconds - 1)
        #expect(try read(reads) == nil)
        clock.add(1)
        #expect(try read(reads) == [1])
    }

    @Test("A read that was slow because its thread was preempted changes nothing, nor does a short wait")
    func preempted() throws {
        let connection = StubConnection()
        let clock = Counter()
        let waits = Counter()
        let reads = pointReads([connection], clock: clock, waits: waits)
        connection.whileReading = { clock.add(PointReads.slowNanoseconds + 1) }
        #expect(try read(reads) == [1])
        connection.whileReading = { waits.add(1) }
        #expect(try read(reads) == [1])
        #expect(try read(reads) == [1])
    }

    @Test("A read that finds the database locked is enqueued, and any other failure is the caller's")
    func locked() throws {
        let connection = StubConnection()
        let reads = pointReads([connection])
        connection.whileReading = { throw StorageError.unavailable("locked") }
        #expect(try read(reads) == nil)
        connection.whileReading = { throw StorageError.readOnly }
        #expect(throws: StorageError.readOnly) { try read(reads) }
        connection.whileReading = {}
        #expect(try read(reads) == [1])
    }

    @Test("Closing waits for the read that is under way, and nothing is read afterwards")
    func closing() async throws {
        let connection = StubConnection()
        let reads = pointReads([connection])
        let hold = Hold()
        connection.whileReading = { hold.wait() }
        async let values = Task.detached { try read(reads) }.value
        try await hold.reached()
        let isClosed = Counter()
        async let closed: Void = {
            await reads.close()
            isClosed.add(1)
        }()
        while try read(reads) != nil {}
        #expect(isClosed.value == 0)
        hold.open()
        #expect(try await values == [1])
        await closed
        #expect(try read(reads) == nil)
    }

    @Test("A database reads on its callers' threads from many at once, and closes whole")
    func database() async throws {
        try await withDatabase(.sqlite, options: .patient) { database, _ in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)")
                try tx.execute("INSERT INTO items VALUES (\(0))")
            }
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 1...8 {
                    group.addTask {
                        for step in 0..<50 {
                            let id = number * 1_000 + step
                            try await database.decide { draft in try draft.insert(into: "items", ["id": id]) }
                            let found: [Int] = try await database.rows("SELECT id FROM items WHERE id = \(id)") { row in
                                try row[0]
                            }
                            #expect(found == [id])
                        }
                    }
                }
                try await group.waitForAll()
            }
            await #expect(throws: StorageError.readOnly) {
                _ = try await database.rows("DELETE FROM items") { _ in true }
            }
            await database.close()
            await #expect(throws: StorageError.closed) {
                _ = try await database.rows("SELECT 1") { _ in true }
            }
        }
    }
}

private func pointReads(
    _ connections: [any Connection], clock: Counter = Counter(), waits: Counter = Counter()
) -> PointReads {
    PointReads(connections, engine: .sqlite, clock: { clock.value }, waits: { Int(waits.value) })
}

private func read(_ reads: PointReads) throws -> [Int]? {
    try reads.rows("SELECT 1") { row in try row[0] }
}

private final class Counter: Sendable {
    private let count = Atomic<UInt64>(0)
    var value: UInt64 { count.load(ordering: .acquiring) }
    func add(_ number: UInt64) { count.add(number, ordering: .acquiringAndReleasing) }
}

/// Answers each statement with a row that has a 1. Unchecked, because a test changes it only while no other thread reads with it.
private final class StubConnection: Connection, @unchecked Sendable {
    var whileReading: () throws -> Void = {}
    private(set) var reads = 0

    func read(_ statement: Statement, _ row: (Row) throws -> Bool) throws {
        reads += 1
        try whileReading()
        _ = try row(Row { _ in .integer(1) })
    }

    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int { 0 }
    func write(_ write: Write) throws {}
}

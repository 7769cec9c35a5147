public import GatehouseSecurity
public import GatehouseStorage
import Synchronization

/// A clock that can be moved forward, for development: it makes the end of a grace period, a ban or a token observable within a second.
/// Only `gatehouse dev` moves it. Its offset is stored in the database, so that it survives a restart, and commands on the database
/// have the same time.
public final class DevClock: Sendable {
    /// A hundred years, which is far enough for any rule and can't overflow.
    private static let maximumSeconds: Int64 = 3_155_760_000

    private let offset: Atomic<Int64>
    private let machineTime: @Sendable () -> Moment

    private init(offsetSeconds: Int64, machineTime: @escaping @Sendable () -> Moment) {
        offset = Atomic(offsetSeconds)
        self.machineTime = machineTime
    }

    /// The clock of the development server on a database. If nobody has moved it, it shows the machine's time.
    public static func kept(
        in database: Database, machineTime: @escaping @Sendable () -> Moment
    ) async throws -> DevClock {
        DevClock(
            offsetSeconds: try await database.read { tx in try DevClockQueries.offsetSeconds(in: tx) },
            machineTime: machineTime)
    }

    /// Resets the clock to the machine's time, because a production server has no other.
    public static func forget(in database: Database) async throws {
        guard try await database.read({ tx in try DevClockQueries.offsetSeconds(in: tx) }) != 0 else { return }
        try await database.transact { tx in try DevClockQueries.set(0, in: tx) }
    }

    /// The offset from the machine's time.
    package var offsetSeconds: Int64 { offset.load(ordering: .relaxed) }

    public var now: Moment { machineTime().adding(seconds: offsetSeconds) }

    /// False for a step backwards or too far.
    func advance(seconds: Int64, in database: Database) async throws -> Bool {
        let before = offsetSeconds
        guard (0...Self.maximumSeconds).contains(seconds), before + seconds <= Self.maximumSeconds else { return false }
        try await set(before + seconds, in: database)
        return true
    }

    /// Resets the clock to the machine's time.
    func reset(in database: Database) async throws {
        try await set(0, in: database)
    }

    /// Resets the clock to the machine's time.
    package func reset(in services: Services) async throws {
        try await reset(in: services.database)
    }

    /// False for a step backwards or too far.
    package func advance(seconds: Int64, in services: Services) async throws -> Bool {
        try await advance(seconds: seconds, in: services.database)
    }

    private func set(_ seconds: Int64, in database: Database) async throws {
        try await database.transact { tx in try DevClockQueries.set(seconds, in: tx) }
        offset.store(seconds, ordering: .relaxed)
    }
}

/// Table `dev_clock`.
enum DevClockQueries {
    static func offsetSeconds(in tx: Reader) throws -> Int64 {
        try tx.first("SELECT offset_seconds FROM dev_clock WHERE clock_id = 1") { row in try row[0] } ?? 0
    }

    static func set(_ seconds: Int64, in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO dev_clock (clock_id, offset_seconds) VALUES (1, \(seconds))
            ON CONFLICT (clock_id) DO UPDATE SET offset_seconds = excluded.offset_seconds
            """)
    }
}

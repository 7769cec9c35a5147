import GatehousePlatform

/// Connections on which callers read single statements at once, each on its own thread: for a request its event loop. To hand such a
/// read to another thread costs two changes of threads, which is more than the read.
///
/// **Bound.** A page that is not in memory lets the caller's thread wait for the disk. After a read that has waited for longer than
/// ``slowNanoseconds`` no connection is lent for ``pauseNanoseconds``, and the engine's threads read meanwhile. A thread that was only
/// preempted has not waited: its processor was busy, and another thread would wait for the same.
final class PointReads: @unchecked Sendable {  // Everything that changes is used only with the lock held.
    static let slowNanoseconds: UInt64 = 500_000
    static let pauseNanoseconds: UInt64 = 100_000_000

    private let lock = ConditionLock()
    private var free: [any Connection]
    private var lent = 0
    private var pausedUntil: UInt64 = 0
    private var isClosed = false
    private var closing: CheckedContinuation<Void, Never>?
    private let engine: Engine
    private let clock: @Sendable () -> UInt64
    private let waits: @Sendable () -> Int

    /// - Parameters:
    ///   - clock: monotonic nanoseconds.
    ///   - waits: how often the calling thread has waited.
    init(
        _ connections: [any Connection], engine: Engine, clock: @escaping @Sendable () -> UInt64,
        waits: @escaping @Sendable () -> Int = { ThreadWaits.count }
    ) {
        free = connections
        self.engine = engine
        self.clock = clock
        self.waits = waits
    }

    /// Every row of a statement, read on the calling thread; nil if it must be enqueued, because every connection is in use, because the
    /// disk was slow lately, or because the database is locked, for which only the engine's threads wait.
    func rows<Value>(_ statement: SQL, _ decode: (Row) throws -> Value) throws -> [Value]? {
        let begin = clock()
        guard let connection = borrow(at: begin) else { return nil }
        let waitsBefore = waits()
        defer {
            let end = clock()
            let hasWaited = end &- begin > Self.slowNanoseconds && waits() != waitsBefore
            giveBack(connection, pausedUntil: hasWaited ? end &+ Self.pauseNanoseconds : nil)
        }
        do {
            return try Reader(connection, engine: engine).rows(statement, decode)
        } catch StorageError.unavailable {
            return nil
        }
    }

    /// Closes the connections, and returns when none is in use.
    func close() async {
        await withCheckedContinuation { continuation in
            let isUnused = lock.withLock {
                isClosed = true
                free = []
                if lent > 0 { closing = continuation }
                return lent == 0
            }
            if isUnused { continuation.resume() }
        }
    }

    private func borrow(at now: UInt64) -> (any Connection)? {
        lock.withLock {
            guard now >= pausedUntil, let connection = free.popLast() else { return nil }
            lent += 1
            return connection
        }
    }

    private func giveBack(_ connection: any Connection, pausedUntil pause: UInt64?) {
        let closed: CheckedContinuation<Void, Never>? = lock.withLock {
            lent -= 1
            if let pause { pausedUntil = pause }
            guard isClosed else {
                free.append(connection)
                return nil
            }
            guard lent == 0 else { return nil }
            defer { closing = nil }
            return closing
        }
        closed?.resume()
    }
}

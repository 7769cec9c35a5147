import Foundation

/// PostgreSQL: a few connections, each with a thread of its own, that take what waits from one queue.
///
/// Each write has a transaction of its own: PostgreSQL groups the commits of its connections by itself, and a batch on one
/// connection could deadlock with a batch on another over the same keys. Writes are READ COMMITTED: rules decide by
/// constraints and conditional updates. Reads are REPEATABLE READ: one snapshot.
final class PostgreSQLEngine: StorageEngine {
    private let queue: JobQueue
    private let threads = EngineThreads()

    init(url: String, options: DatabaseOptions, events: StorageEvents) throws {
        queue = JobQueue(limit: options.queueLimit, patienceSeconds: options.patienceSeconds)
        let outage = Outage()
        // The first connection is made here: a wrong address is a failure to open and not one of the first call.
        var first: PostgreSQLConnection? = try PostgreSQLConnection(url: url)
        for number in 0..<max(1, options.connections) {
            let worker = PostgreSQLWorker(
                url: url, number: number, connection: first, queue: queue, options: options, events: events,
                outage: outage)
            first = nil
            threads.start("gatehouse-postgresql-\(number)", worker)
        }
    }

    func enqueueRead(_ job: Job) {
        queue.add(job.statement == nil ? ModeJob(job, isRead: true) : job)
    }

    func enqueueWrite(_ job: Job) {
        queue.add(ModeJob(job, isRead: false))
    }

    var waiting: (reads: Int, writes: Int) { (0, queue.count) }

    func close() async {
        queue.close()
        await threads.join()
    }
}

/// A job with the kind of transaction that it needs.
private final class ModeJob: Job, @unchecked Sendable {
    let job: Job
    let isRead: Bool

    init(_ job: Job, isRead: Bool) {
        self.job = job
        self.isRead = isRead
    }

    override func run(in transaction: Transaction) throws { try job.run(in: transaction) }
    override func succeed() { job.succeed() }
    override func fail(_ error: any Error) { job.fail(error) }
}

/// Whether the server was unreachable a moment ago. For that moment every call fails at once: a call that waited for a
/// connection of its own would only make the queue long.
private final class Outage: @unchecked Sendable {  // Everything is touched only with the lock held.
    private let lock = NSLock()
    private var tryAgainAt: UInt64 = 0
    private var reason = ""

    func current(at now: UInt64) -> StorageError? {
        lock.withLock { now < tryAgainAt ? .unavailable(reason) : nil }
    }

    func begin(_ reason: String, at now: UInt64) {
        lock.withLock {
            tryAgainAt = now + 250_000_000
            self.reason = reason
        }
    }
}

/// A thread with its connection. Unchecked: made by the opener, then used by its one thread.
private final class PostgreSQLWorker: EngineWorker, @unchecked Sendable {
    private let url: String
    private let number: Int
    private var connection: PostgreSQLConnection?
    private let queue: JobQueue
    private let options: DatabaseOptions
    private let events: StorageEvents
    private let outage: Outage

    init(
        url: String, number: Int, connection: PostgreSQLConnection?, queue: JobQueue, options: DatabaseOptions,
        events: StorageEvents, outage: Outage
    ) {
        self.url = url
        self.number = number
        self.connection = connection
        self.queue = queue
        self.options = options
        self.events = events
        self.outage = outage
    }

    func run() {
        while true {
            let jobs = queue.take(atMost: Self.statementsAtOnce, while: { $0.statement != nil })
            guard let first = jobs.first else { return }
            guard let job = first as? ModeJob else {
                read(jobs)
                continue
            }
            do {
                try perform(job)
                job.succeed()
                if !job.isRead { events.committed(1) }
            } catch {
                job.fail(error)
            }
        }
    }

    /// Statements that one round trip takes at most.
    private static let statementsAtOnce = 16

    /// Sends single statements in one round trip. When one fails, each is asked for by itself: the others have done no harm.
    private func read(_ jobs: [Job]) {
        if let connection = try? connected() {
            do {
                try connection.read(jobs)
                for job in jobs { job.succeed() }
                return
            } catch {
                if connection.isLost {
                    disconnect("\(error)")
                } else if jobs.count == 1 {
                    return jobs[0].fail(error)
                }
            }
        }
        for job in jobs {
            do {
                try perform(ModeJob(job, isRead: true))
                job.succeed()
            } catch {
                job.fail(error)
            }
        }
    }

    /// Runs a job until it is committed or has failed for good: lost against another transaction it is tried again, and on a
    /// connection that was dead before it began, once more on a new one.
    private func perform(_ job: ModeJob) throws {
        var attempt = 0
        var hasReconnected = false
        while true {
            attempt += 1
            let connection = try connected()
            do {
                try run(job, on: connection)
                return
            } catch {
                switch error {
                case .conflict(let cause):
                    guard attempt < options.attempts else { throw cause }
                    events.retried()
                    // Apart from each other: two that wait equally long meet again.
                    usleep(UInt32(attempt * (700 + 331 * number)))
                case .lostBeforeCommit(let cause):
                    disconnect("\(cause)")
                    guard !hasReconnected else { throw cause }
                    hasReconnected = true
                case .final(let cause):
                    if connection.isLost { disconnect("\(cause)") }
                    throw cause
                }
            }
        }
    }

    private enum AttemptFailure: Error {
        case conflict(any Error)
        case lostBeforeCommit(StorageError)
        case final(any Error)
    }

    private func run(_ job: ModeJob, on connection: PostgreSQLConnection) throws(AttemptFailure) {
        connection.begin(
            job.isRead
                ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        do {
            try job.run(in: Transaction(connection, engine: .postgresql))
        } catch {
            if connection.isLost { throw .lostBeforeCommit(.unavailable("the connection to PostgreSQL was lost")) }
            undo(on: connection)
            if let conflict = Self.conflict(error) { throw .conflict(conflict) }
            throw .final(error)
        }
        do {
            try connection.commit()
        } catch {
            // Lost in the commit, nobody knows whether it happened: the caller is told so, and nothing runs twice.
            undo(on: connection)
            if let conflict = Self.conflict(error) { throw .conflict(conflict) }
            throw .final(error)
        }
    }

    /// A connection that can't even undo is not used again.
    private func undo(on connection: PostgreSQLConnection) {
        do { try connection.rollBack() } catch { disconnect("\(error)") }
    }

    private static func conflict(_ error: any Error) -> (any Error)? {
        if error is TransactionConflict { return error }
        guard case .failed(let code, _)? = error as? StorageError, code == "40001" || code == "40P01" else {
            return nil
        }
        return error as? StorageError
    }

    private func connected() throws -> PostgreSQLConnection {
        if let connection { return connection }
        let now = MonotonicClock.nanoseconds
        if let error = outage.current(at: now) { throw error }
        do {
            let connection = try PostgreSQLConnection(url: url)
            self.connection = connection
            return connection
        } catch let error as StorageError {
            outage.begin("\(error)", at: now)
            throw error
        }
    }

    func disconnect() { connection = nil }

    private func disconnect(_ reason: String) {
        guard connection != nil else { return }
        connection = nil
        events.disconnected(reason)
    }
}

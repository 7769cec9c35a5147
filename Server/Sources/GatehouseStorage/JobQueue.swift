import Dispatch
import GatehousePlatform

/// The queue for an engine's threads, with a maximum length.
///
/// **Protocol.** Callers add jobs from any thread, and engine threads take them; a job belongs to the thread that has taken it. A job that was
/// accepted is always answered: it is run, refused because it has waited too long, or handed to another queue. ``close()`` refuses new
/// jobs at once. The threads go on until the queue is empty and nothing is postponed, which ``take(atMost:)`` tells by an empty result,
/// and then they end. An engine closes a queue only after the threads of every queue that hands jobs to it have ended, so that no job
/// arrives after the last thread has gone.
final class JobQueue: @unchecked Sendable {  // Everything below the condition is used only with it locked.
    private let condition = ConditionLock()
    private let limit: Int
    private let patienceNanoseconds: UInt64
    private let clock: @Sendable () -> UInt64
    private var jobs: [Job] = []
    private var first = 0
    /// How many jobs wait for another attempt.
    private var postponed = 0
    private var isClosed = false

    /// - Parameters:
    ///   - limit: how many jobs may wait.
    ///   - patienceSeconds: how long a job may wait. After that its caller has given up, and running it would only delay others.
    ///   - clock: monotonic nanoseconds.
    init(limit: Int, patienceSeconds: Double, clock: @escaping @Sendable () -> UInt64) {
        self.limit = limit
        patienceNanoseconds = UInt64(patienceSeconds * 1e9)
        self.clock = clock
    }

    var count: Int {
        condition.lock()
        defer { condition.unlock() }
        return jobs.count - first
    }

    /// Adds a job, or refuses it at once when too many are waiting or after ``close()``.
    func add(_ job: Job) {
        condition.lock()
        let refusal: StorageError? = isClosed ? .closed : jobs.count - first >= limit ? .overloaded : nil
        if refusal == nil {
            job.enqueuedAt = clock()
            jobs.append(job)
            condition.signal()
        }
        condition.unlock()
        if let refusal { job.fail(refusal) }
    }

    /// Takes over jobs that another queue has accepted, regardless of the limit.
    func takeOver(_ accepted: [Job]) {
        // Most batches leave no jobs, and then no thread should be woken.
        if accepted.isEmpty { return }
        condition.lock()
        jobs += accepted
        condition.broadcast()
        condition.unlock()
    }

    /// Adds an accepted job again after a while, regardless of the limit. The queue's threads don't end before.
    func postpone(_ job: Job, microseconds: Int) {
        condition.withLock { postponed += 1 }
        MonotonicClock.after(microseconds: microseconds) { [self] in
            condition.lock()
            postponed -= 1
            job.enqueuedAt = clock()
            jobs.append(job)
            condition.broadcast()
            condition.unlock()
        }
    }

    /// Waits for jobs and takes the oldest, at most `limit`. The result is empty once the queue is closed and has no jobs left.
    func take(atMost limit: Int) -> [Job] {
        while true {
            let taken = wait(atMost: limit)
            if taken.isEmpty { return [] }
            let now = clock()
            let isLate = { (job: Job) in now &- job.enqueuedAt > self.patienceNanoseconds }
            guard taken.contains(where: isLate) else { return taken }
            for job in taken where isLate(job) { job.fail(StorageError.overloaded) }
            let inTime = taken.filter { !isLate($0) }
            if !inTime.isEmpty { return inTime }
        }
    }

    private func wait(atMost limit: Int) -> [Job] {
        condition.lock()
        defer { condition.unlock() }
        if jobs.count == first, !isClosed {
            // Callers that have just received a response are likely to send another request, and yielding once costs less than sleeping
            // and waking. The lock is released meanwhile, so the state is looked at again below.
            condition.unlock()
            sched_yield()
            condition.lock()
        }
        while jobs.count == first {
            if isClosed, postponed == 0 { return [] }
            condition.wait()
        }
        let count = min(limit, jobs.count - first)
        let taken = Array(jobs[first..<first + count])
        first += count
        // Taken jobs are removed only now and then, because each removal moves the whole queue.
        if first == jobs.count || first > 1_024 {
            jobs.removeFirst(first)
            first = 0
        }
        return taken
    }

    /// Accepts no further jobs. Threads end when the accepted ones are done.
    func close() {
        condition.lock()
        isClosed = true
        condition.broadcast()
        condition.unlock()
    }
}

/// The work of one engine thread.
protocol EngineWorker: AnyObject, Sendable {
    /// Works until the queue is closed and empty.
    func run()
    func disconnect()
}

/// An engine's threads, and the callers that wait for their end.
final class EngineThreads: Sendable {
    private let group = DispatchGroup()

    /// - Parameter worker: the thread's work. Its connection is closed before the thread counts as ended.
    func start(_ name: String, _ worker: any EngineWorker) {
        group.enter()
        SystemThread.start(name, stackBytes: 1 << 20) { [group] in
            worker.run()
            worker.disconnect()
            group.leave()
        }
    }

    func join() async {
        await withCheckedContinuation { continuation in
            group.notify(queue: .global()) { continuation.resume() }
        }
    }
}

extension DatabaseOptions {
    /// A new queue for what a player or a game server waits for.
    var callQueue: JobQueue { JobQueue(limit: queueLimit, patienceSeconds: patienceSeconds, clock: clock) }

    /// A new queue for reports.
    var reportQueue: JobQueue { JobQueue(limit: reportQueueLimit, patienceSeconds: reportSeconds, clock: clock) }

    /// A new queue for statements outside of transactions, whose callers wait as long as it takes.
    var maintenanceQueue: JobQueue { JobQueue(limit: 16, patienceSeconds: 3_600, clock: clock) }
}

/// A body with its waiting caller.
///
/// A job is handed from thread to thread: the caller makes it and adds it to a queue, an engine thread takes it from there, and may pass
/// it on to another queue. Only the thread that has it uses it, and the lock of the queue orders what one thread has written before
/// what the next one reads. This is why its mutable properties need no lock, and why the class and its subclasses are unchecked.
///
/// The engine may call ``run(on:engine:)`` several times, and then calls exactly one of ``succeed()`` and ``fail(_:)``, once. Running it
/// again is safe by construction: a body is `@Sendable`, so it can capture nothing that it could change unnoticed, and a ``Draft`` has
/// no effects but the returned writes, of which the engine carries out those of the last run only.
class Job: @unchecked Sendable {
    /// What a body may do.
    enum Verb: Sendable {
        case read, report, decide, transact
        /// Statements of PostgreSQL outside of a transaction, on a connection of their own.
        case maintain

        var writes: Bool { self == .decide || self == .transact }
    }

    let verb: Verb
    /// When it was added to the queue, in monotonic nanoseconds.
    var enqueuedAt: UInt64 = 0
    /// How often it has lost against other transactions.
    var conflicts = 0

    init(_ verb: Verb) {
        self.verb = verb
    }

    /// The statement, if the job consists of only one. Engines may send several such jobs at once.
    var statement: SQL? { nil }
    /// Receives a row of ``statement``.
    func take(_ row: Row) throws {}
    /// Runs the body and keeps its value, without resuming the caller. Throws what the body throws.
    ///
    /// - Returns: the writes that it has left to be made.
    func run(on connection: any Connection, engine: Engine) throws -> [Write] { [] }
    /// Resumes the caller with the value of the last run, whose writes are durable.
    func succeed() {}
    /// Resumes the caller with an error.
    func fail(_ error: any Error) {}
}

extension Job {
    /// Runs the body and then its writes, in a transaction that has begun.
    func perform(on connection: any Connection, engine: Engine) throws {
        for write in try run(on: connection, engine: engine) { try connection.write(write) }
    }
}

/// A caller's body.
final class BodyJob<Value: Sendable>: Job, @unchecked Sendable {
    typealias Body = @Sendable (any Connection, Engine) throws -> (Value, [Write])

    private let body: Body
    private let continuation: CheckedContinuation<Value, any Error>
    private var value: Value?

    init(_ verb: Verb, _ body: @escaping Body, continuation: CheckedContinuation<Value, any Error>) {
        self.body = body
        self.continuation = continuation
        super.init(verb)
    }

    override func run(on connection: any Connection, engine: Engine) throws -> [Write] {
        let (value, writes) = try body(connection, engine)
        self.value = value
        return writes
    }

    override func succeed() {
        guard let value else { return continuation.resume(throwing: StorageError.closed) }
        continuation.resume(returning: value)
    }

    override func fail(_ error: any Error) {
        continuation.resume(throwing: error)
    }
}

/// A reading statement, with the caller that waits for its rows.
final class StatementJob<Value: Sendable>: Job, @unchecked Sendable {
    private let sql: SQL
    private let decode: @Sendable (Row) throws -> Value
    private let continuation: CheckedContinuation<[Value], any Error>
    private var values: [Value] = []

    init(
        _ sql: SQL, decode: @escaping @Sendable (Row) throws -> Value,
        continuation: CheckedContinuation<[Value], any Error>
    ) {
        self.sql = sql
        self.decode = decode
        self.continuation = continuation
        super.init(.read)
    }

    override var statement: SQL? { sql }

    override func take(_ row: Row) throws { values.append(try decode(row)) }

    override func run(on connection: any Connection, engine: Engine) throws -> [Write] {
        values = try Reader(connection, engine: engine).rows(sql, decode)
        return []
    }

    override func succeed() { continuation.resume(returning: values) }
    override func fail(_ error: any Error) { continuation.resume(throwing: error) }
}

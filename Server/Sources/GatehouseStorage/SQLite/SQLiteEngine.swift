/// The SQLite engine: one thread writes, others read.
///
/// **Group commit.** The writer takes all waiting writes and commits once, so that one sync to the disk serves all of them, and resumes
/// their callers afterwards. A body that fails before it has written doesn't affect the others. When one fails later, all are run
/// again, each in a savepoint to which it can be rolled back. Savepoints are not used the first time, because they copy every written
/// page.
final class SQLiteEngine: StorageEngine {
    private let writes: JobQueue
    private let reads: JobQueue
    private let reports: JobQueue
    private let writer = EngineThreads()
    private let readers = EngineThreads()

    init(path: String, options: DatabaseOptions, events: StorageEvents) throws {
        writes = options.callQueue
        // A memory database has only one connection, so the writer reads too.
        let isMemory = path == ":memory:"
        func connect(isReader: Bool) throws -> SQLiteConnection {
            try SQLiteConnection(path: path, isReader: isReader, patienceSeconds: options.patienceSeconds)
        }
        reads = isMemory ? writes : options.callQueue
        reports = isMemory ? writes : options.reportQueue
        writer.start(
            "gatehouse-sqlite-writer",
            SQLiteWriter(
                connection: try connect(isReader: false), queue: writes, options: options,
                events: events))
        guard !isMemory else { return }
        for number in 0..<max(1, options.readers) {
            let reader = SQLiteReader(
                connection: try connect(isReader: true), queue: reads,
                batchLimit: options.batchLimit)
            readers.start("gatehouse-sqlite-reader-\(number)", reader)
        }
        for number in 0..<max(1, options.reportConnections) {
            let connection = try connect(isReader: true)
            connection.statementSeconds = options.reportSeconds
            let reader = SQLiteReader(connection: connection, queue: reports, batchLimit: 1)
            readers.start("gatehouse-sqlite-report-\(number)", reader)
        }
    }

    func enqueue(_ job: Job) {
        switch job.verb {
        case .decide, .transact, .maintain: writes.add(job)
        case .read: reads.add(job)
        case .report: reports.add(job)
        }
    }

    var waiting: (reads: Int, writes: Int) { (reads === writes ? 0 : reads.count, writes.count) }

    func close() async {
        // The writer closes last: the last connection to close moves the write-ahead log into the file, which a reader can't do.
        reads.close()
        reports.close()
        await readers.join()
        writes.close()
        await writer.join()
    }
}

/// The writing thread. Unchecked, because it is created by the opener and then used only by its own thread.
private final class SQLiteWriter: EngineWorker, @unchecked Sendable {
    private var open: SQLiteConnection?
    private let queue: JobQueue
    private let batchLimit: Int
    private let attempts: Int
    private let events: StorageEvents
    /// Set when no further writes are possible.
    private var breakage: StorageError?

    init(connection: SQLiteConnection, queue: JobQueue, options: DatabaseOptions, events: StorageEvents) {
        open = connection
        self.queue = queue
        batchLimit = options.batchLimit
        attempts = max(1, options.attempts)
        self.events = events
    }

    func run() {
        guard let connection = open else { return }
        while true {
            let batch = queue.take(atMost: batchLimit)
            if batch.isEmpty { return }
            if let breakage {
                for job in batch { job.fail(breakage) }
            } else {
                commit(batch, on: connection)
            }
        }
    }

    func disconnect() { open = nil }

    /// No caller is resumed before the commit, not even with a refusal: it may depend on another body's write, which is not final until
    /// it is on the disk.
    private func commit(_ batch: [Job], on connection: SQLiteConnection) {
        let outcomes: [(any Error)?]
        do {
            try connection.execute("BEGIN IMMEDIATE")
            if let all = outcomesWithoutSavepoints(of: batch, on: connection) {
                outcomes = all
            } else {
                if connection.isInTransaction { try connection.execute("ROLLBACK") }
                try connection.execute("BEGIN IMMEDIATE")
                outcomes = try batch.map { try outcome(of: $0, on: connection) }
            }
            try connection.execute("COMMIT")
        } catch {
            if connection.isInTransaction { try? connection.execute("ROLLBACK") }
            if case .broken(let reason)? = error as? StorageError {
                breakage = .broken(reason)
                events.broken(reason)
            }
            for job in batch { job.fail(error) }
            return
        }
        events.committed(batch.count)
        for (job, failure) in zip(batch, outcomes) {
            if let failure { job.fail(failure) } else { job.succeed() }
        }
    }

    /// Runs the bodies one after another and returns their failures; nil when writes must be undone.
    private func outcomesWithoutSavepoints(of batch: [Job], on connection: SQLiteConnection) -> [(any Error)?]? {
        var outcomes: [(any Error)?] = []
        for job in batch {
            connection.hasWritten = false
            do {
                try job.perform(on: connection, engine: .sqlite)
                outcomes.append(nil)
            } catch {
                if connection.hasWritten || StorageError.isConflict(error) { return nil }
                outcomes.append(error)
            }
        }
        return outcomes
    }

    /// Runs one body, again if it asks for that, and returns its failure.
    private func outcome(of job: Job, on connection: SQLiteConnection) throws -> (any Error)? {
        for _ in 1..<attempts {
            let failure = try attempt(job, on: connection)
            guard StorageError.isConflict(failure) else { return failure }
        }
        return try attempt(job, on: connection)
    }

    /// Runs one body and returns its failure, after undoing its writes. Throws when the whole batch is lost, because some failures,
    /// such as a full disk, make SQLite roll back everything.
    private func attempt(_ job: Job, on connection: SQLiteConnection) throws -> (any Error)? {
        try connection.execute("SAVEPOINT job")
        do {
            try job.perform(on: connection, engine: .sqlite)
            try connection.execute("RELEASE job")
            return nil
        } catch {
            guard connection.isInTransaction else { throw error }
            try connection.execute("ROLLBACK TO job")
            try connection.execute("RELEASE job")
            return error
        }
    }
}

/// A reading thread. Unchecked, because it is created by the opener and then used only by its own thread.
private final class SQLiteReader: EngineWorker, @unchecked Sendable {
    private var open: SQLiteConnection?
    private let queue: JobQueue
    private let batchLimit: Int

    init(connection: SQLiteConnection, queue: JobQueue, batchLimit: Int) {
        open = connection
        self.queue = queue
        self.batchLimit = batchLimit
    }

    /// Waiting reads share one snapshot, which is taken after the last of them was requested.
    func run() {
        guard let connection = open else { return }
        while true {
            let batch = queue.take(atMost: min(16, batchLimit))
            if batch.isEmpty { return }
            // A single statement already has a consistent snapshot.
            let isOneStatement = batch.count == 1 && batch[0].statement != nil
            do {
                if !isOneStatement { try connection.execute("BEGIN") }
            } catch {
                for job in batch { job.fail(error) }
                continue
            }
            for job in batch {
                do {
                    try job.perform(on: connection, engine: .sqlite)
                    job.succeed()
                } catch {
                    job.fail(error)
                }
            }
            if connection.isInTransaction { try? connection.execute("COMMIT") }
        }
    }

    func disconnect() { open = nil }
}

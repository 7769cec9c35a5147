import GatehousePlatform

/// A thread that runs one body at a time, in a separate transaction. Unchecked, because it is created by the opener and then used only
/// by its own thread.
final class PostgreSQLWorker: EngineWorker, @unchecked Sendable {
    private let link: PostgreSQLLink
    private let number: Int
    private let queue: JobQueue
    private let options: DatabaseOptions
    private let events: StorageEvents

    init(link: PostgreSQLLink, number: Int, queue: JobQueue, options: DatabaseOptions, events: StorageEvents) {
        self.link = link
        self.number = number
        self.queue = queue
        self.options = options
        self.events = events
    }

    func run() {
        while let job = queue.take(atMost: 1).first {
            do {
                guard try perform(job) else { continue }
                if job.verb.writes { events.committed(1) }
                job.succeed()
            } catch {
                job.fail(error)
            }
        }
    }

    func disconnect() { link.close() }

    /// Runs a job until it is committed or has finally failed. One whose connection was dead before it began is tried once more on a
    /// new one.
    ///
    /// - Returns: false when the job has lost against another transaction and waits for another attempt.
    private func perform(_ job: Job) throws -> Bool {
        var hasReconnected = false
        var made = 0
        while true {
            let connection = try link.connected()
            do {
                try run(job, on: connection)
                return true
            } catch {
                switch error {
                case .conflict:
                    job.conflicts += 1
                    guard job.conflicts < options.attempts else { throw StorageError.conflict }
                    events.retried()
                    // Jitter by worker number, so that two losers don't collide again. Meanwhile this thread serves others.
                    queue.postpone(job, microseconds: job.conflicts * (700 + 331 * number))
                    return false
                case .lostBeforeCommit(let cause):
                    link.forget("\(cause)")
                    guard !hasReconnected else { throw cause }
                    hasReconnected = true
                case .noPartition(let table, let value, let cause):
                    // One row of each divided table, and at a boundary two.
                    made += 1
                    guard made <= 2 * DividedTable.all.count, try makePartition(table, value) else { throw cause }
                case .final(let cause):
                    link.forgetIfLost(cause)
                    throw cause
                }
            }
        }
    }

    private enum AttemptFailure: Error {
        case conflict
        case lostBeforeCommit(StorageError)
        case noPartition(table: String, value: String, StorageError)
        case final(any Error)

        init(_ error: any Error) {
            switch error as? StorageError {
            case .conflict: self = .conflict
            case .failed(let code, _) where code == "40001" || code == "40P01": self = .conflict
            case .noPartition(let table, let value)?:
                self = .noPartition(table: table, value: value, .noPartition(table: table, value: value))
            default: self = .final(error)
            }
        }
    }

    /// Makes the partition that a row has lacked; false when nothing is known about such rows.
    private func makePartition(_ name: String, _ value: String) throws -> Bool {
        guard let table = DividedTable.all.first(where: { $0.name == name }),
            let milliseconds = table.milliseconds(of: value)
        else { return false }
        let connection = try link.connected()
        connection.begin("BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        do {
            try connection.makePartition(of: table, holding: milliseconds)
            try connection.commit()
            return true
        } catch {
            link.undo()
            throw error
        }
    }

    private func run(_ job: Job, on connection: PostgreSQLConnection) throws(AttemptFailure) {
        connection.begin(
            job.verb.writes
                ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE" : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        do {
            try job.perform(on: connection, engine: .postgresql)
        } catch {
            if connection.isLost { throw .lostBeforeCommit(.unavailable("the connection to PostgreSQL was lost")) }
            link.undo()
            throw AttemptFailure(error)
        }
        do {
            try connection.commit()
        } catch {
            // If the connection was lost during the commit, or a node of Citus has not answered, it is not known whether it succeeded.
            // The caller gets this error, and nothing runs twice.
            link.undo()
            throw AttemptFailure(error)
        }
    }
}

/// A thread for statements that can't run in a transaction. Its connection is open only during the work, which is rare. Unchecked,
/// because it is created by the opener and then used only by its own thread.
final class PostgreSQLMaintenanceWorker: EngineWorker, @unchecked Sendable {
    private let link: PostgreSQLLink
    private let queue: JobQueue

    init(link: PostgreSQLLink, queue: JobQueue) {
        self.link = link
        self.queue = queue
    }

    func run() {
        while let job = queue.take(atMost: 1).first {
            do {
                try job.perform(on: link.connected(), engine: .postgresql)
                link.close()
                job.succeed()
            } catch {
                link.close()
                job.fail(error)
            }
        }
    }

    func disconnect() { link.close() }
}

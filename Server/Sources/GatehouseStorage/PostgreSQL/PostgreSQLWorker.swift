import Foundation

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
        while let job = queue.take(atMost: 1).first as? BodyJob {
            do {
                try perform(job)
                if !job.isRead { events.committed(1) }
                job.succeed()
            } catch {
                job.fail(error)
            }
        }
    }

    func disconnect() { link.close() }

    /// Runs a job until it is committed or has finally failed. A job that loses against another transaction is retried, and one whose
    /// connection was dead before it began is tried once more on a new one.
    private func perform(_ job: BodyJob) throws {
        var attempt = 0
        var hasReconnected = false
        while true {
            attempt += 1
            let connection = try link.connected()
            do {
                try run(job, on: connection)
                return
            } catch {
                switch error {
                case .conflict(let cause):
                    guard attempt < options.attempts else { throw cause }
                    events.retried()
                    // Jitter by worker number, so that two losers don't collide again.
                    usleep(UInt32(attempt * (700 + 331 * number)))
                case .lostBeforeCommit(let cause):
                    link.forget("\(cause)")
                    guard !hasReconnected else { throw cause }
                    hasReconnected = true
                case .final(let cause):
                    link.forgetIfLost(cause)
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

    private func run(_ job: BodyJob, on connection: PostgreSQLConnection) throws(AttemptFailure) {
        connection.begin(
            job.isRead
                ? "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" : "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE")
        do {
            try job.run(in: Transaction(connection, engine: .postgresql))
        } catch {
            if connection.isLost { throw .lostBeforeCommit(.unavailable("the connection to PostgreSQL was lost")) }
            link.undo()
            if let conflict = Self.conflict(error) { throw .conflict(conflict) }
            throw .final(error)
        }
        do {
            try connection.commit()
        } catch {
            // The connection was lost during the commit, so it is not known whether it succeeded. The caller gets this error, and
            // nothing runs twice.
            link.undo()
            if let conflict = Self.conflict(error) { throw .conflict(conflict) }
            throw .final(error)
        }
    }

    private static func conflict(_ error: any Error) -> (any Error)? {
        if error is TransactionConflict { return error }
        guard case .failed(let code, _)? = error as? StorageError, code == "40001" || code == "40P01" else {
            return nil
        }
        return error as? StorageError
    }
}

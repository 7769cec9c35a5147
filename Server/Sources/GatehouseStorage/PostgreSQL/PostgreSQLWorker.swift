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
        case final(any Error)
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
            if Self.isConflict(error) { throw .conflict }
            throw .final(error)
        }
        do {
            try connection.commit()
        } catch {
            // The connection was lost during the commit, so it is not known whether it succeeded. The caller gets this error, and
            // nothing runs twice.
            link.undo()
            if Self.isConflict(error) { throw .conflict }
            throw .final(error)
        }
    }

    private static func isConflict(_ error: any Error) -> Bool {
        switch error as? StorageError {
        case .conflict: true
        case .failed(let code, _): code == "40001" || code == "40P01"
        default: false
        }
    }
}

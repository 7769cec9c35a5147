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

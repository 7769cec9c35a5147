import Foundation

/// The PostgreSQL engine: a few connections, each with its own thread.
///
/// **Group commit.** Two connections take the waiting jobs and send them together: single reads with the same text as one statement,
/// and the writes of several bodies in one transaction (``Replay``, ``MergedStatement``). Jobs that can't be batched, or whose batch
/// has failed, get a separate transaction on one of the other connections. Writes are READ COMMITTED, because rules decide by
/// constraints and conditional updates. Reads of several statements are REPEATABLE READ, on one snapshot.
final class PostgreSQLEngine: StorageEngine {
    private let together: JobQueue
    private let alone: JobQueue
    private let threads = EngineThreads()
    private let ownThreads = EngineThreads()

    init(url: String, options: DatabaseOptions, events: StorageEvents) throws {
        together = JobQueue(limit: options.queueLimit, patienceSeconds: options.patienceSeconds)
        alone = JobQueue(limit: options.queueLimit, patienceSeconds: options.patienceSeconds)
        let outage = Outage()
        // The first connection is opened here, so that a wrong address is an error of opening and not of the first call.
        var first: PostgreSQLConnection? = try PostgreSQLConnection(
            url: url, patienceSeconds: options.patienceSeconds, noticed: events.noticed)
        for number in 0..<max(1, options.connections) {
            let link = PostgreSQLLink(
                url: url, patienceSeconds: options.patienceSeconds, connection: first, outage: outage, events: events)
            first = nil
            threads.start(
                "gatehouse-postgresql-\(number)",
                PostgreSQLBatchWorker(link: link, queue: together, alone: alone, events: events))
        }
        for number in 0..<max(1, options.ownConnections) {
            let link = PostgreSQLLink(
                url: url, patienceSeconds: options.patienceSeconds, connection: nil, outage: outage, events: events)
            ownThreads.start(
                "gatehouse-postgresql-own-\(number)",
                PostgreSQLWorker(link: link, number: number, queue: alone, options: options, events: events))
        }
    }

    func enqueueRead(_ job: Job) {
        if job.statement == nil { alone.add(BodyJob(job, isRead: true)) } else { together.add(job) }
    }

    func enqueueWrite(_ job: Job) {
        together.add(BodyJob(job, isRead: false))
    }

    var waiting: (reads: Int, writes: Int) { (0, together.count + alone.count) }

    func close() async {
        together.close()
        await threads.join()
        // From now on no jobs can be passed to this queue any more.
        alone.close()
        await ownThreads.join()
    }
}

/// A body with its required kind of transaction.
final class BodyJob: Job, @unchecked Sendable {
    private let job: Job
    let isRead: Bool

    init(_ job: Job, isRead: Bool) {
        self.job = job
        self.isRead = isRead
        super.init()
        enqueuedAt = job.enqueuedAt
    }

    override func run(in transaction: Transaction) throws { try job.run(in: transaction) }
    override func succeed() { job.succeed() }
    override func fail(_ error: any Error) { job.fail(error) }
}

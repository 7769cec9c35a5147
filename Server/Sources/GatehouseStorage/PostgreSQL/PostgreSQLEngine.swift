import Foundation

/// PostgreSQL: a few connections, each with a thread of its own.
///
/// **Group commit.** Two connections take what waits and send it together: single reads of one text as one statement, and
/// the writes of several bodies in one transaction (``Replay``, ``MergedStatement``). What can't go together, or has failed
/// together, gets a transaction of its own on one of the others. Writes are READ COMMITTED: rules decide by constraints and
/// conditional updates. Reads of several statements are REPEATABLE READ: one snapshot.
final class PostgreSQLEngine: StorageEngine {
    private let together: JobQueue
    private let alone: JobQueue
    private let threads = EngineThreads()
    private let ownThreads = EngineThreads()

    init(url: String, options: DatabaseOptions, events: StorageEvents) throws {
        together = JobQueue(limit: options.queueLimit, patienceSeconds: options.patienceSeconds)
        alone = JobQueue(limit: options.queueLimit, patienceSeconds: options.patienceSeconds)
        let outage = Outage()
        // The first connection is made here: a wrong address is a failure to open and not one of the first call.
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
        // Only now can nothing be handed over any more.
        alone.close()
        await ownThreads.join()
    }
}

/// A body with the kind of transaction that it needs.
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

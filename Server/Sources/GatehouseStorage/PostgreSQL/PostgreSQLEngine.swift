import GatehousePlatform
import Synchronization

/// The PostgreSQL engine: a few connections, each with its own thread.
///
/// **Group commit.** Two connections take the waiting decisions and send them together: single reads with the same text as one
/// statement, and the writes of several bodies in one transaction (``Replay``, ``MergedStatement``). Transactions, and decisions whose
/// batch has failed, run one at a time on the other connections. Writes are READ COMMITTED, because rules decide by constraints and
/// conditional updates. Reads of several statements are REPEATABLE READ, on one snapshot.
final class PostgreSQLEngine: StorageEngine {
    private let together: JobQueue
    private let alone: JobQueue
    private let reports: JobQueue
    private let maintenance: JobQueue
    private let threads = EngineThreads()
    private let ownThreads = EngineThreads()

    init(url: String, options: DatabaseOptions, events: StorageEvents) throws {
        together = options.callQueue
        alone = options.callQueue
        reports = options.reportQueue
        maintenance = options.maintenanceQueue
        let calls = PostgreSQLConnection.Purpose.calls(patienceSeconds: options.patienceSeconds)
        let outage = Outage()
        // The first connection is opened here, so that a wrong address is an error of opening and not of the first call.
        var first: PostgreSQLConnection? = try PostgreSQLConnection(
            url: url, for: calls, isFirst: true, noticed: events.noticed)
        for number in 0..<max(1, options.connections) {
            let link = PostgreSQLLink(url: url, for: calls, connection: first, outage: outage, events: events)
            first = nil
            threads.start(
                "gatehouse-postgresql-\(number)",
                PostgreSQLBatchWorker(link: link, queue: together, alone: alone, events: events))
        }
        for number in 0..<max(1, options.ownConnections) {
            let link = PostgreSQLLink(url: url, for: calls, outage: outage, events: events)
            ownThreads.start(
                "gatehouse-postgresql-own-\(number)",
                PostgreSQLWorker(link: link, number: number, queue: alone, options: options, events: events))
        }
        for number in 0..<max(1, options.reportConnections) {
            let link = PostgreSQLLink(
                url: url, for: .reports(limitSeconds: options.reportSeconds), outage: outage, events: events)
            ownThreads.start(
                "gatehouse-postgresql-report-\(number)",
                PostgreSQLWorker(link: link, number: number, queue: reports, options: options, events: events))
        }
        ownThreads.start(
            "gatehouse-postgresql-maintenance",
            PostgreSQLMaintenanceWorker(
                link: PostgreSQLLink(
                    url: url, for: .maintenance(patienceSeconds: options.maintenanceSeconds), outage: outage,
                    events: events),
                queue: maintenance))
    }

    func enqueue(_ job: Job) {
        switch job.verb {
        case .decide: together.add(job)
        case .read where job.statement != nil: together.add(job)
        case .read, .transact: alone.add(job)
        case .report: reports.add(job)
        case .maintain: maintenance.add(job)
        }
    }

    var waiting: (reads: Int, writes: Int) { (0, together.count + alone.count) }

    func close() async {
        reports.close()
        maintenance.close()
        together.close()
        await threads.join()
        // From now on no jobs can be passed to this queue any more.
        alone.close()
        await ownThreads.join()
    }
}

/// Whether the server was unreachable a moment ago. For a short time every call then fails at once, because calls that each wait for a
/// connection would only make the queue long.
final class Outage: Sendable {
    private struct State {
        var tryAgainAt: UInt64 = 0
        var reason = ""
    }

    private let state = Mutex(State())

    func current(at now: UInt64) -> StorageError? {
        state.withLock { now < $0.tryAgainAt ? .unavailable($0.reason) : nil }
    }

    func begin(_ reason: String, at now: UInt64) {
        state.withLock { $0 = State(tryAgainAt: now + 250_000_000, reason: reason) }
    }
}

/// A connection that is opened when needed, and again after it was lost. It is used by one thread.
final class PostgreSQLLink {
    private let url: String
    private let purpose: PostgreSQLConnection.Purpose
    private var connection: PostgreSQLConnection?
    private let outage: Outage
    private let events: StorageEvents

    init(
        url: String, for purpose: PostgreSQLConnection.Purpose, connection: PostgreSQLConnection? = nil,
        outage: Outage, events: StorageEvents
    ) {
        self.url = url
        self.purpose = purpose
        self.connection = connection
        self.outage = outage
        self.events = events
    }

    func connected() throws -> PostgreSQLConnection {
        if let connection { return connection }
        let now = MonotonicClock.nanoseconds
        if let error = outage.current(at: now) { throw error }
        do {
            let connection = try PostgreSQLConnection(url: url, for: purpose, noticed: events.noticed)
            self.connection = connection
            return connection
        } catch {
            if case .unavailable(let reason)? = error as? StorageError { outage.begin(reason, at: now) }
            throw error
        }
    }

    var isLost: Bool { connection?.isLost == true }

    /// Closes a lost connection.
    func forgetIfLost(_ reason: any Error) {
        if isLost { forget("\(reason)") }
    }

    /// Rolls the transaction back. If this fails, the connection is not used again.
    func undo() {
        do { try connection?.rollBack() } catch { forget("\(error)") }
    }

    /// Ends what a failed call has left: a lost connection is closed, and the transaction of another is rolled back, because in a failed
    /// one PostgreSQL refuses every later statement.
    func settle(after reason: any Error) {
        forgetIfLost(reason)
        undo()
    }

    func forget(_ reason: String) {
        guard connection != nil else { return }
        connection = nil
        events.disconnected(reason)
    }

    /// Closes the connection at the end of its thread.
    func close() { connection = nil }
}

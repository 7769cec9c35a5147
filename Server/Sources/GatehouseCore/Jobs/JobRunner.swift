import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import Synchronization

/// Runs the jobs of the outbox, one after the other. Any number of runners and nodes may do so concurrently, but each job runs once at a
/// time.
package struct JobRunner: Sendable {
    package static let intervalSeconds: Int64 = 2
    /// The number of runners of a node. A host that answers slowly holds up its own jobs (``JobConcurrency``), and the other runners go on with
    /// the rest.
    package static let count = 4

    let services: Services
    /// The number of rows that the job that forgets profiles reads at a time.
    var profilesPerTransaction = 200
    /// The number of reads in one such job. It keeps a job well within its lease, and lets other jobs run before the next one.
    var transactionsPerJob = 50
    /// Returns when an attempt has taken too long; nil for no limit.
    private let limit: (@Sendable () async throws -> Void)?

    package init(
        services: Services, profilesPerTransaction: Int = 200, transactionsPerJob: Int = 50,
        limit: (@Sendable () async throws -> Void)? = nil
    ) {
        self.services = services
        self.profilesPerTransaction = profilesPerTransaction
        self.transactionsPerJob = transactionsPerJob
        self.limit = limit
    }

    private var database: Database { services.database }

    /// Runs every job that is due, and returns their number.
    @discardableResult
    package func run() async throws -> Int {
        var count = 0
        while !Task.isCancelled, let (job, host) = try await claim() {
            defer { leave(host) }
            count += 1
            try await attempt(job)
        }
        return count
    }

    /// Takes a due job whose host no other runner of this node calls, and the host. Mostly nothing is due, and that is found by one read.
    ///
    /// The lanes take turns, so that neither the many jobs of one nor the long attempts of several keep out the rest. Of each lane, one job
    /// is looked at, however many are due.
    private func claim() async throws -> (QueuedJob, host: String?)? {
        let moment = services.environment.now()
        let due = try await database.read { tx in try JobQueries.due(at: moment, limit: 1, in: tx) }
        guard !due.isEmpty else { return nil }
        let begin = services.jobPlaces.lastLane
        // From the lane after the last one to the end, and then from the first one to the last one.
        var (lane, hasTurned) = (begin, begin == nil)
        while true {
            guard let job = try await database.read({ [lane] tx in try JobQueries.first(after: lane, in: tx) }) else {
                if hasTurned { return nil }
                (lane, hasTurned) = (nil, true)
                continue
            }
            guard !job.lane.isEmpty else {
                // It is looked at again in its lane.
                let name = JobRules.lane(of: job, vault: services.vault)
                try await database.transact { tx in try JobQueries.setLane(name, of: job, in: tx) }
                continue
            }
            if job.nextAt <= moment {
                let host = try await host(of: job)
                if host.map(services.jobPlaces.take) ?? true {
                    if try await take(job, host, at: moment) { return (job, host) }
                    // Another node has taken it, and this lane may have another.
                    continue
                }
            }
            if hasTurned, job.lane == begin { return nil }
            lane = job.lane
        }
    }

    /// Claims a job; if that fails, the host is left.
    private func take(_ job: QueuedJob, _ host: String?, at moment: Moment) async throws -> Bool {
        var isTaken = false
        defer { if !isTaken { leave(host) } }
        isTaken = try await database.transact { tx in try JobRules.claim(job, at: moment, in: tx) }
        if isTaken { services.jobPlaces.turn(to: job.lane) }
        return isTaken
    }

    private func leave(_ host: String?) {
        if let host { services.jobPlaces.leave(host) }
    }

    private func host(of queued: QueuedJob) async throws -> String? {
        try await (try? JobRules.job(queued, vault: services.vault))?.host(in: queued.app, services)
    }

    private func attempt(_ job: QueuedJob) async throws {
        var failure: JobFailure?
        do {
            // The process of the last attempt has ended before its result, possibly because of the job.
            guard job.attempts < JobRules.attempts else {
                throw JobFailure(reason: "its last attempt had no result", mayRetry: false)
            }
            try await withinLimit { try await perform(job) }
        } catch let error as JobFailure {
            failure = error
        } catch  where error is CancellationError || DatabaseFailure(error)?.isOutage == true {
            // Nothing is known of the job. It is tried again when its lease ends.
            throw error
        } catch {
            failure = JobFailure(reason: "\(error)", mayRetry: true)
        }
        let state = try await conclude(job, failure)
        guard let failure, let state else { return }
        services.reporter.audit.record(
            .init(
                event: state == .dead ? "job.dead" : "job.postponed", app: job.app, actor: .system, address: nil,
                transactionID: nil, subject: ["jobId": job.id, "kind": job.kind.rawValue, "why": failure.reason]))
    }

    private func withinLimit(_ body: @escaping @Sendable () async throws -> Void) async throws {
        guard let limit else { return try await body() }
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask(operation: body)
            group.addTask {
                try await limit()
                throw JobFailure(reason: "it has taken too long", mayRetry: true)
            }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    /// Stores the result of an attempt, with what the member's history says about it.
    private func conclude(_ job: QueuedJob, _ failure: JobFailure?) async throws -> JobRecord.State? {
        let moment = services.environment.now()
        guard let app = try await database.read({ tx in try AppQueries.app(job.app, in: tx) }) else {
            return try await database.transact { tx in try JobRules.conclude(job, failure, at: moment, in: tx) }
        }
        return try await services.work(in: app, at: moment).transact { change, tx in
            let state = try JobRules.conclude(job, failure, at: moment, in: tx)
            if let state { try JobRules.record(state, of: job, change, in: tx) }
            return state
        }
    }

    private func perform(_ queued: QueuedJob) async throws {
        let job: (any Job)?
        do {
            job = try JobRules.job(queued, vault: services.vault)
        } catch {
            throw JobFailure(reason: "its payload can't be read", mayRetry: false)
        }
        guard let job else { throw JobFailure(reason: "no job of this kind is known", mayRetry: true) }
        try await job.perform(queued, by: self)
    }
}

/// The hosts that the runners of this node are calling. Each is called by one runner at a time, whichever apps the jobs are of, so that a
/// host that does not answer takes one runner, and not all of them.
final class JobConcurrency: Sendable {
    private struct State {
        var hosts: Set<String> = []
        var lane: String?
    }

    private let state = Mutex(State())

    /// Takes a host; false when another runner has it.
    func take(_ host: String) -> Bool {
        state.withLock { $0.hosts.insert(host).inserted }
    }

    func leave(_ host: String) {
        _ = state.withLock { $0.hosts.remove(host) }
    }

    /// The lane that has had the last turn on this node. The next turn is that of the lane after it.
    var lastLane: String? { state.withLock { $0.lane } }

    func turn(to lane: String) {
        state.withLock { $0.lane = lane }
    }
}

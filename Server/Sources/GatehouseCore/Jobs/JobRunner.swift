import GatehouseProviders
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
    private func claim() async throws -> (Job, host: String?)? {
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
    private func take(_ job: Job, _ host: String?, at moment: Moment) async throws -> Bool {
        var isTaken = false
        defer { if !isTaken { leave(host) } }
        isTaken = try await database.transact { tx in try JobRules.claim(job, at: moment, in: tx) }
        if isTaken { services.jobPlaces.turn(to: job.lane) }
        return isTaken
    }

    private func leave(_ host: String?) {
        if let host { services.jobPlaces.leave(host) }
    }

    /// The host that a job calls; nil for one that calls nobody, or of which that is not known.
    private func host(of job: Job) async throws -> String? {
        switch job.kind {
        case .revokeTokens:
            guard let payload = try? JobRules.payload(of: job, as: RevocationPayload.self, vault: services.vault),
                let app = try await database.read({ tx in try AppQueries.app(job.app, in: tx) })
            else { return nil }
            return app.providers[payload.provider]?.revocationHost
        case .sendAlert:
            guard let payload = try? JobRules.payload(of: job, as: AlertPayload.self, vault: services.vault) else {
                return nil
            }
            return try await AlertSender(services: services).host(of: payload, in: job.app)
        default: return nil
        }
    }

    private func attempt(_ job: Job) async throws {
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
    private func conclude(_ job: Job, _ failure: JobFailure?) async throws -> JobRecord.State? {
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

    private func perform(_ job: Job) async throws {
        switch job.kind {
        case .revokeTokens: try await revoke(job)
        case .forgetProfiles: try await forgetProfiles(job)
        case .sendAlert: try await AlertSender(services: services).send(payload(of: job, as: AlertPayload.self), job)
        default: throw JobFailure(reason: "no job of this kind is known", mayRetry: true)
        }
    }

    private func payload<Payload: Decodable>(of job: Job, as type: Payload.Type) throws -> Payload {
        do {
            return try JobRules.payload(of: job, as: type, vault: services.vault)
        } catch {
            throw JobFailure(reason: "its payload can't be read", mayRetry: false)
        }
    }

    private func forgetProfiles(_ job: Job) async throws {
        let payload = try payload(of: job, as: ForgetProfilesPayload.self)
        let (vault, provider, limit) = (services.vault, payload.provider, profilesPerTransaction)
        var last = payload.after
        for _ in 0..<transactionsPerJob {
            try Task.checkCancellation()
            let begin = last
            let forgotten = try await database.read { tx in
                try IdentityTokenRules.forgotten(
                    of: provider, app: job.app, after: begin, limit: limit, vault: vault, in: tx)
            }
            // A page without a profile costs no transaction of the writer.
            if !forgotten.rows.isEmpty {
                let goesOn = try await database.transact { tx in
                    try IdentityTokenRules.forget(forgotten, provider, app: job.app, in: tx)
                }
                guard goesOn else { return }
            }
            guard let reached = forgotten.last else { return }
            last = reached
        }
        let rest = ForgetProfilesPayload(provider: provider, after: last)
        let moment = services.environment.now()
        try await database.transact { [random = services.random] tx in
            try JobRules.add(.forgetProfiles, rest, app: job.app, vault: vault, at: moment, random: random, in: tx)
        }
    }

    private func revoke(_ job: Job) async throws {
        let payload = try payload(of: job, as: RevocationPayload.self)
        guard let app = try await database.read({ tx in try AppQueries.app(job.app, in: tx) }) else {
            throw JobFailure(reason: "its app is gone", mayRetry: false)
        }
        try await revoke(payload, in: app, at: services.environment.now())
    }

    /// Revokes a person's consent at the provider.
    ///
    /// - Throws: ``JobFailure``.
    private func revoke(_ payload: RevocationPayload, in app: App, at moment: Moment) async throws {
        do {
            let client = try services.providers.client(
                for: payload.provider, app.providers[payload.provider], region: payload.tokens.region, in: app.id
            ).speaking(as: payload.tokens.clientId)
            try await TokenRevocation(client: client).revoke(payload.tokens, at: moment)
        } catch let failure as IdentityFailure where failure == .unavailable || failure == .busy {
            // Neither says anything about the tokens.
            throw JobFailure(reason: "\(payload.provider) can't be asked", mayRetry: true)
        } catch IdentityFailure.misconfigured(let why) {
            // An operator can correct this, so the job is retried.
            throw JobFailure(reason: "\(payload.provider): \(why)", mayRetry: true)
        } catch IdentityFailure.notConfigured {
            // The provider may be disabled only temporarily, and the person's right to revocation remains, so the job is retried.
            throw JobFailure(reason: "\(payload.provider) is switched off, or gone", mayRetry: true)
        } catch let failure as IdentityFailure {
            throw JobFailure(reason: "\(payload.provider) refuses: \(failure.words)", mayRetry: false)
        }
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

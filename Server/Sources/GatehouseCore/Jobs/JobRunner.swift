import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Runs the jobs of the outbox, one after the other. Any number of runners and nodes may do so concurrently, but each job runs once at a
/// time.
package struct JobRunner: Sendable {
    package static let intervalSeconds: Int64 = 2
    /// The number of runners of a node. A provider that answers slowly holds up its own jobs (``JobPlaces``), and the other runners go on
    /// with the rest.
    package static let count = 4
    /// How many due jobs a runner looks at: few, and many if other runners ask the providers of all those.
    private static let examined = [8, 1_000]

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
        while !Task.isCancelled, let (job, place) = try await claim() {
            defer { leave(place) }
            count += 1
            try await attempt(job)
        }
        return count
    }

    /// Takes a due job whose provider no other runner of this node asks, and the provider. Mostly nothing is due, and that is found
    /// without a transaction that writes.
    private func claim() async throws -> (Job, JobPlaces.Place?)? {
        for limit in Self.examined {
            let moment = services.environment.now()
            let due = try await database.read { tx in try JobQueries.due(at: moment, limit: limit, in: tx) }
            for job in due {
                let place = JobRules.place(of: job, vault: services.vault)
                if let place, !services.jobPlaces.take(place) { continue }
                do {
                    if try await database.transact({ tx in try JobRules.claim(job, at: moment, in: tx) }) {
                        return (job, place)
                    }
                } catch {
                    leave(place)
                    throw error
                }
                leave(place)
            }
            guard due.count == limit else { return nil }
        }
        return nil
    }

    private func leave(_ place: JobPlaces.Place?) {
        if let place { services.jobPlaces.leave(place) }
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

import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Runs the jobs of the outbox. Any number of nodes may run them concurrently, but each job runs on one node at a time.
package struct JobRunner: Sendable {
    package static let intervalSeconds: Int64 = 2

    let services: Services
    /// The number of rows that the job that forgets profiles reads at a time.
    var profilesPerTransaction = 200
    /// The number of reads in one such job. It keeps a job well within its lease, and lets other jobs run before the next one.
    var transactionsPerJob = 50

    package init(services: Services, profilesPerTransaction: Int = 200, transactionsPerJob: Int = 50) {
        self.services = services
        self.profilesPerTransaction = profilesPerTransaction
        self.transactionsPerJob = transactionsPerJob
    }

    private var database: Database { services.database }

    /// Runs every job that is due, and returns their number.
    @discardableResult
    package func run(at moment: Moment) async throws -> Int {
        var count = 0
        while !Task.isCancelled,
            let job = try await database.transact({ tx in try JobRules.claim(at: moment, in: tx) })
        {
            count += 1
            do {
                try await perform(job, at: moment)
                try await database.transact { tx in try JobRules.finish(job, at: moment, in: tx) }
            } catch let failure as JobFailure {
                let isDead = try await database.transact { tx in
                    try JobRules.fail(job, failure, at: moment, in: tx)
                }
                services.reporter.audit.record(
                    .init(
                        event: isDead ? "job.dead" : "job.postponed", app: job.app, actor: .system, address: nil,
                        transactionID: nil, subject: ["jobId": job.id, "kind": job.kind.rawValue]))
            }
        }
        return count
    }

    private func perform(_ job: Job, at moment: Moment) async throws {
        switch job.kind {
        case .revokeTokens: try await revoke(job, at: moment)
        case .forgetProfiles: try await forgetProfiles(job, at: moment)
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

    private func forgetProfiles(_ job: Job, at moment: Moment) async throws {
        let payload = try payload(of: job, as: ForgetProfilesPayload.self)
        let (vault, provider, limit) = (services.vault, payload.provider, profilesPerTransaction)
        var last = payload.after
        for _ in 0..<transactionsPerJob {
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
        try await database.transact { [random = services.random] tx in
            try JobRules.add(.forgetProfiles, rest, app: job.app, vault: vault, at: moment, random: random, in: tx)
        }
    }

    private func revoke(_ job: Job, at moment: Moment) async throws {
        let payload = try payload(of: job, as: RevocationPayload.self)
        guard let app = try await database.read({ tx in try AppQueries.app(job.app, in: tx) }) else {
            throw JobFailure(reason: "its app is gone", mayRetry: false)
        }
        var failure: JobFailure?
        do {
            try await revoke(payload, in: app, at: moment)
        } catch let caught as JobFailure {
            failure = caught
        }
        if failure.map({ JobRules.isLast(job, after: $0) }) ?? true {
            let event: AccountEvent =
                failure == nil ? .tokensRevoked(payload.provider) : .tokensNotRevoked(payload.provider)
            try await services.work(in: app, at: moment).transact { change, tx in
                try change.record(event, of: payload.user, in: tx)
            }
        }
        if let failure { throw failure }
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
        } catch IdentityFailure.unavailable {
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

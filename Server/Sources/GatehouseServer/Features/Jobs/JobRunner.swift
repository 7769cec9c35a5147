import GatehouseStorage
import GatehouseWire

/// Runs the jobs of the outbox. Any number of nodes may run them concurrently, but each job runs on one node at a time.
struct JobRunner: Sendable {
    static let intervalSeconds: Int64 = 2

    let database: Database
    let providers: IdentityProviders
    let vault: KeyVault
    let random: RandomSource
    let audit: AuditLog

    /// Runs every job that is due, and returns their number.
    @discardableResult
    func run(at moment: Moment) async throws -> Int {
        var count = 0
        while !Task.isCancelled,
            let job = try await database.write({ tx in try JobRules.claim(at: moment, in: tx) })
        {
            count += 1
            do {
                try await perform(job, at: moment)
                try await database.write { tx in try JobRules.finish(job, at: moment, in: tx) }
            } catch let failure as JobFailure {
                let isDead = try await database.write { tx in
                    try JobRules.fail(job, failure, at: moment, in: tx)
                }
                audit.record(
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
        case .forgetProfiles: try await forgetProfiles(job)
        default: throw JobFailure(reason: "no job of this kind is known", mayRetry: true)
        }
    }

    private func payload<Payload: Decodable>(of job: Job, as type: Payload.Type) throws -> Payload {
        do {
            return try JobRules.payload(of: job, as: type, vault: vault)
        } catch {
            throw JobFailure(reason: "its payload can't be read", mayRetry: false)
        }
    }

    /// The number of rows in one transaction. It is small because concurrent logins wait for the transaction.
    private static let profilesPerTransaction = 200

    private func forgetProfiles(_ job: Job) async throws {
        let provider = try payload(of: job, as: ForgetProfilesPayload.self).provider
        var last: UserID?
        repeat {
            let begin = last
            last = try await database.write { [vault] tx in
                try IdentityTokenRules.forgetProfiles(
                    of: provider, app: job.app, after: begin, limit: Self.profilesPerTransaction, vault: vault, in: tx)
            }
        } while last != nil && !Task.isCancelled
        // The remaining rows are left to the next attempt.
        if last != nil { throw CancellationError() }
    }

    private func revoke(_ job: Job, at moment: Moment) async throws {
        let vault = vault
        let payload = try payload(of: job, as: RevocationPayload.self)
        guard let app = try await database.read({ tx in try AppQueries.app(job.app, in: tx) }) else {
            throw JobFailure(reason: "its app is gone", mayRetry: false)
        }
        var failure: JobFailure?
        do {
            try await providers.revoke(payload, in: app, at: moment)
        } catch let caught as JobFailure {
            failure = caught
        }
        if failure.map({ JobRules.isLast(job, after: $0) }) ?? true {
            let event: LedgerEvent = failure == nil ? .tokensRevoked : .tokensNotRevoked
            let change = Change(
                Viewpoint(app: app, moment: moment), by: .clock, random: random, vault: vault)
            try await database.write { tx in
                try LedgerRules.append(event, of: payload.user, ["idp": payload.provider.rawValue], change, in: tx)
            }
        }
        if let failure { throw failure }
    }
}

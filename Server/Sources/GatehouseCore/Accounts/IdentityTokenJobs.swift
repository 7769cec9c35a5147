import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Revokes a person's consent at the provider.
struct RevokeTokens: Job {
    static let kind = JobKind("revoke-idp-tokens")

    let provider: Provider
    let user: UserID
    let tokens: IdentityTokens

    var lane: String { provider.rawValue }
    var subject: (user: UserID?, provider: Provider?) { (user, provider) }

    func host(in app: AppID, _ services: Services) async throws -> String? {
        try await services.database.read { tx in try AppQueries.app(app, in: tx) }?.providers[provider]?.revocationHost
    }

    func perform(_ queued: QueuedJob, by runner: JobRunner) async throws {
        let services = runner.services
        guard let app = try await services.database.read({ tx in try AppQueries.app(queued.app, in: tx) }) else {
            throw JobFailure(reason: "its app is gone", mayRetry: false)
        }
        do {
            let client = try services.providers.client(
                for: provider, app.providers[provider], region: tokens.region, in: app.id
            ).speaking(as: tokens.clientId)
            try await TokenRevocation(client: client).revoke(tokens, at: services.environment.now())
        } catch let failure as IdentityFailure where failure == .unavailable || failure == .busy {
            // Neither says anything about the tokens.
            throw JobFailure(reason: "\(provider) can't be asked", mayRetry: true)
        } catch IdentityFailure.misconfigured(let why) {
            // An operator can correct this, so the job is retried.
            throw JobFailure(reason: "\(provider): \(why)", mayRetry: true)
        } catch IdentityFailure.notConfigured {
            // The provider may be disabled only temporarily, and the person's right to revocation remains, so the job is retried.
            throw JobFailure(reason: "\(provider) is switched off, or gone", mayRetry: true)
        } catch let failure as IdentityFailure {
            throw JobFailure(reason: "\(provider) refuses: \(failure.words)", mayRetry: false)
        }
    }

    /// Whether the tokens are still valid.
    func record(_ end: JobRecord.State, _ change: Change, in tx: Transaction) throws {
        try change.record(end == .done ? .tokensRevoked(provider) : .tokensNotRevoked(provider), of: user, in: tx)
    }
}

/// Deletes the profiles of a provider for which the operator has disabled them.
struct ForgetProfiles: Job {
    static let kind = JobKind("forget-idp-profiles")

    let provider: Provider
    /// The member that an earlier job has reached.
    var after: UserID?

    var lane: String { "forget \(provider.rawValue)" }
    var subject: (user: UserID?, provider: Provider?) { (nil, provider) }

    func perform(_ queued: QueuedJob, by runner: JobRunner) async throws {
        let (services, app, limit) = (runner.services, queued.app, runner.profilesPerTransaction)
        var last = after
        for _ in 0..<runner.transactionsPerJob {
            try Task.checkCancellation()
            let begin = last
            let forgotten = try await services.database.read { tx in
                try IdentityTokenRules.forgotten(
                    of: provider, app: app, after: begin, limit: limit, vault: services.vault, in: tx)
            }
            // A page without a profile costs no transaction of the writer.
            if !forgotten.rows.isEmpty {
                let goesOn = try await services.database.transact { tx in
                    try IdentityTokenRules.forget(forgotten, provider, app: app, in: tx)
                }
                guard goesOn else { return }
            }
            guard let reached = forgotten.last else { return }
            last = reached
        }
        let rest = ForgetProfiles(provider: provider, after: last)
        let moment = services.environment.now()
        try await services.database.transact { tx in
            try JobRules.add(rest, app: app, vault: services.vault, at: moment, random: services.random, in: tx)
        }
    }
}

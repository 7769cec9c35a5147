import GatehouseJSON
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// A durable outbox for work that must happen after a commit and outside of the database. A job is added in the transaction that causes
/// it, runs at least once on some node, is retried with growing delays, and ends as done or dead.
package enum JobRules {
    /// The number of attempts after which a job is dead. They span two days and two and a half hours.
    package static let attempts = 18
    /// How long a node may at least take for one attempt before another node takes the job.
    static let leaseSeconds: Int64 = 120
    /// How long an attempt may take. It is less than the lease, so that only one node runs a job at a time.
    package static let limitSeconds: Int64 = 60
    /// How long finished jobs are kept.
    static let keptDays: Int64 = 30

    static func add(_ kind: JobKind, _ payload: some JobPayload, _ change: Change, in tx: Draft) throws {
        try add(
            kind, payload, app: change.app.id, vault: change.vault, at: change.moment, random: change.random, in: tx)
    }

    static func add(
        _ kind: JobKind, _ payload: some JobPayload, app: AppID, vault: KeyVault, at moment: Moment,
        random: RandomSource, in tx: Draft
    ) throws {
        let id = TimeOrderedID.session(at: moment, random: random).rawValue
        let sealed = try vault.seal(JSONWriter.bytes(of: payload), for: .job(id))
        try JobQueries.insert(
            id, kind: kind, lane: lane(payload.lane, of: app), sealed: sealed, app: app, at: moment, in: tx)
    }

    private static func lane(_ name: String, of app: AppID) -> String { "\(app.rawValue) \(name)" }

    /// The pause after an attempt: 30 seconds after the first, then twice as long each time, up to six hours.
    static func pauseSeconds(after attempts: Int) -> Int64 {
        min(21_600, 30 << Int64(min(max(attempts - 1, 0), 12)))
    }

    /// Takes a due job for its next attempt; false when another node has taken it.
    ///
    /// An attempt without a result, of a process that was killed or that has lost its database, is followed by the same pause as one that
    /// has failed. Otherwise a database that is away for some minutes would use up attempts that are meant for two days.
    static func claim(_ job: Job, at moment: Moment, in tx: Transaction) throws -> Bool {
        let seconds = max(leaseSeconds, pauseSeconds(after: job.attempts + 1))
        return try JobQueries.claim(job, until: moment.adding(seconds: seconds), in: tx)
    }

    /// The lane of a job that a server of before has added without one.
    static func lane(of job: Job, vault: KeyVault) -> String {
        let found: (any JobPayload)? =
            switch job.kind {
            case .revokeTokens: try? payload(of: job, as: RevocationPayload.self, vault: vault)
            case .forgetProfiles: try? payload(of: job, as: ForgetProfilesPayload.self, vault: vault)
            case .sendAlert: try? payload(of: job, as: AlertPayload.self, vault: vault)
            default: nil
            }
        return lane(found?.lane ?? job.kind.rawValue, of: job.app)
    }

    static func payload<Payload: Decodable>(
        of job: Job, as type: Payload.Type, vault: KeyVault
    ) throws -> Payload {
        try payload(job.id, job.sealed, as: type, vault: vault)
    }

    static func payload<Payload: Decodable>(
        _ id: String, _ sealed: [UInt8], as type: Payload.Type, vault: KeyVault
    ) throws -> Payload {
        try StoredJSON.read(type, from: vault.open(sealed, for: .job(id)))
    }

    /// Stores the result of an attempt. A job that is over loses its payload: only the fact that it ran is kept.
    ///
    /// - Parameters:
    ///   - job: as it was claimed.
    ///   - failure: nil if the attempt has succeeded.
    /// - Returns: the job's state; nil when a later attempt has begun, because this one has taken too long.
    static func conclude(
        _ job: Job, _ failure: JobFailure?, at moment: Moment, in tx: Transaction
    ) throws -> JobRecord.State? {
        let attempts = job.attempts + 1
        let failures = try failure.map { failure in
            let former = try JobQueries.failures(of: job.id, app: job.app, in: tx)
            return [FailedAttempt(failure, at: moment)] + former.prefix(FailedAttempt.kept - 1)
        }
        if let failure, failure.mayRetry, attempts < Self.attempts {
            let next = moment.adding(seconds: pauseSeconds(after: attempts))
            let isStored = try JobQueries.postpone(
                job.id, of: job.app, after: attempts, to: next, error: failure.reason, failures: failures ?? [], in: tx)
            return isStored ? .waiting : nil
        }
        let state = failure == nil ? JobRecord.State.done : .dead
        let isStored = try JobQueries.end(
            job.id, of: job.app, after: attempts, state: state, error: failure?.reason, failures: failures, at: moment,
            in: tx)
        return isStored ? state : nil
    }

    /// Adds to the member's history whether the tokens of a revocation that is over are still valid.
    static func record(_ state: JobRecord.State, of job: Job, _ change: Change, in tx: Transaction) throws {
        guard job.kind == .revokeTokens, state != .waiting,
            let payload = try? payload(of: job, as: RevocationPayload.self, vault: change.vault)
        else { return }
        try change.record(
            state == .done ? .tokensRevoked(payload.provider) : .tokensNotRevoked(payload.provider), of: payload.user,
            in: tx)
    }
}

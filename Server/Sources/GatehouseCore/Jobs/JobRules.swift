import GatehouseJSON
public import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// A durable outbox for work that must happen after a commit and outside of the database. A job is added in the transaction that causes
/// it, runs at least once on some node, is retried with growing delays, and ends as done or dead.
enum JobRules {
    /// The number of attempts after which a job is dead. They span about two days.
    static let attempts = 12
    /// How long a node may take for one attempt before another node takes the job.
    static let leaseSeconds: Int64 = 120
    /// How long finished jobs are kept.
    static let keptDays: Int64 = 30

    static func add(_ kind: JobKind, _ payload: some Encodable, _ change: Change, in tx: Draft) throws {
        try add(
            kind, payload, app: change.app.id, vault: change.vault, at: change.moment, random: change.random, in: tx)
    }

    static func add(
        _ kind: JobKind, _ payload: some Encodable, app: AppID, vault: KeyVault, at moment: Moment,
        random: RandomSource, in tx: Draft
    ) throws {
        let id = TimeOrderedID.session(at: moment, random: random).rawValue
        let sealed = try vault.seal(JSONWriter.bytes(of: payload), for: .job(id))
        try JobQueries.insert(id, kind: kind, sealed: sealed, app: app, at: moment, in: tx)
    }

    /// Claims a due job for this node, until the lease ends.
    static func claim(at moment: Moment, in tx: Transaction) throws -> Job? {
        let lease = moment.adding(seconds: leaseSeconds)
        for job in try JobQueries.due(at: moment, limit: 8, in: tx)
        where try JobQueries.claim(job, until: lease, in: tx) {
            return job
        }
        return nil
    }

    static func payload<Payload: Decodable>(
        of job: Job, as type: Payload.Type, vault: KeyVault
    ) throws -> Payload {
        try StoredJSON.read(type, from: vault.open(job.sealed, for: .job(job.id)))
    }

    /// A finished job's payload is deleted. Only the fact that it ran is kept.
    static func finish(_ job: Job, at moment: Moment, in tx: Transaction) throws {
        try JobQueries.end(job.id, of: job.app, state: .done, error: nil, at: moment, in: tx)
    }

    /// Whether no attempt is left after a failure.
    static func isLast(_ job: Job, after failure: JobFailure) -> Bool {
        !failure.mayRetry || job.attempts + 1 >= attempts
    }

    /// Schedules the next attempt, or gives the job up. Returns whether it is dead.
    static func fail(
        _ job: Job, _ failure: JobFailure, at moment: Moment, in tx: Transaction
    ) throws -> Bool {
        guard !isLast(job, after: failure) else {
            try JobQueries.end(job.id, of: job.app, state: .dead, error: failure.reason, at: moment, in: tx)
            return true
        }
        // The delay starts at 30 seconds and doubles each time, up to six hours.
        let pause = min(21_600, Int64(30) << Int64(min(job.attempts, 12)))
        try JobQueries.postpone(
            job.id, of: job.app, to: moment.adding(seconds: pause), error: failure.reason, in: tx)
        return false
    }

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try JobQueries.forget(before: moment, limit: limit, in: tx)
    }
}

/// The kind of a job. An open set, because rows outlive versions.
public struct JobKind: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    static let revokeTokens = JobKind("revoke-idp-tokens")
    static let forgetProfiles = JobKind("forget-idp-profiles")
}

/// A claimed job.
struct Job: Sendable {
    let id: String
    let app: AppID
    let kind: JobKind
    let sealed: [UInt8]
    /// The number of earlier attempts.
    let attempts: Int
    let nextAt: Moment
}

/// Why an attempt of a job failed.
struct JobFailure: Error, Sendable {
    /// A description for operators, without secrets.
    let reason: String
    /// False when another attempt can't succeed.
    let mayRetry: Bool
}

/// A job for operators.
public struct JobRecord: Sendable, Hashable {
    public enum State: String, Sendable, Hashable, CaseIterable {
        case waiting, done, dead
    }

    public let id: String
    public let app: AppID
    public let kind: JobKind
    public let state: State
    public let attempts: Int
    public let nextAt: Moment
    public let lastError: String?
}

import Foundation
import GatehouseStorage
public import GatehouseWire

/// What must happen after a commit and outside of the database: a durable outbox. A job is added in the transaction of its
/// cause, runs at least once on some node, is tried again with growing pauses, and ends done or dead.
enum JobRules {
    /// After so many tries a job is dead: for about two days.
    static let attempts = 12
    /// How long a node may take for one try, before another takes the job.
    static let leaseSeconds: Int64 = 120
    /// Jobs that are over are kept this long.
    static let keptDays: Int64 = 30

    static func add(_ kind: JobKind, _ payload: some Encodable, _ change: Change, in tx: Transaction) throws {
        try add(
            kind, payload, app: change.app.id, vault: change.vault, at: change.moment, random: change.random, in: tx)
    }

    static func add(
        _ kind: JobKind, _ payload: some Encodable, app: AppID, vault: KeyVault, at moment: Moment,
        random: RandomSource, in tx: Transaction
    ) throws {
        let id = TimeOrderedID.session(at: moment, random: random).rawValue
        let sealed = try vault.seal(JSONWriter.bytes(of: payload), for: .job(id))
        try JobQueries.insert(id, kind: kind, sealed: sealed, app: app, at: moment, in: tx)
    }

    /// Takes a job that is due, for this node alone and for a while.
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
        try JSONDecoder().decode(type, from: Data(vault.open(job.sealed, for: .job(job.id))))
    }

    /// What a job was about is deleted with its end: only that it was is kept.
    static func finish(_ job: Job, at moment: Moment, in tx: Transaction) throws {
        try JobQueries.end(job.id, state: .done, error: nil, at: moment, in: tx)
    }

    /// Whether a failure leaves no further try.
    static func isLast(_ job: Job, after failure: JobFailure) -> Bool {
        !failure.mayRetry || job.attempts + 1 >= attempts
    }

    /// Puts off the next try, or gives the job up. Returns whether it is dead.
    static func fail(
        _ job: Job, _ failure: JobFailure, at moment: Moment, in tx: Transaction
    ) throws -> Bool {
        guard !isLast(job, after: failure) else {
            try JobQueries.end(job.id, state: .dead, error: failure.reason, at: moment, in: tx)
            return true
        }
        // 30 seconds, then twice as long each time, up to six hours.
        let pause = min(21_600, Int64(30) << Int64(min(job.attempts, 12)))
        try JobQueries.postpone(job.id, to: moment.adding(seconds: pause), error: failure.reason, in: tx)
        return false
    }

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try JobQueries.forget(before: moment, limit: limit, in: tx)
    }
}

/// What a job does. An open set: rows outlive versions.
public struct JobKind: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    static let revokeTokens = JobKind("revoke-idp-tokens")
    static let forgetProfiles = JobKind("forget-idp-profiles")
}

/// One job, as it is taken up.
struct Job: Sendable {
    let id: String
    let app: AppID
    let kind: JobKind
    let sealed: [UInt8]
    /// Tries before this one.
    let attempts: Int
    let nextAt: Moment
}

/// Why a try of a job failed.
struct JobFailure: Error, Sendable {
    /// In words, without a secret: operators read it.
    let reason: String
    /// False when another try can't help.
    let mayRetry: Bool
}

/// A job as operators see it.
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

import GatehouseJSON
public import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// The kind of a job. An open set, because rows outlive versions.
public struct JobKind: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
}

/// What is done after a commit and outside of the database: its parameters, which are stored, and how it is done. Every kind stands in
/// ``JobRules/kinds``.
protocol Job: Codable, Sendable {
    /// The name in the database.
    static var kind: JobKind { get }
    /// What the job has in common with those that it waits behind, such as a provider. Jobs of one app with the same lane are run one
    /// after another, and lanes take turns.
    var lane: String { get }
    /// The member and the provider of the job, which its page names: by default none.
    var subject: (user: UserID?, provider: Provider?) { get }

    /// The host that it calls; nil, as by default, if it calls nobody, or if that is not known.
    func host(in app: AppID, _ services: Services) async throws -> String?

    /// Does it. An earlier attempt, of which the result is not known, may have done it already.
    ///
    /// - Throws: ``JobFailure`` with what operators read of it, and whether there is another attempt. After any other error there is one.
    func perform(_ queued: QueuedJob, by runner: JobRunner) async throws

    /// Adds to a member's history how it has ended: by default nothing.
    func record(_ end: JobRecord.State, _ change: Change, in tx: Transaction) throws
}

extension Job {
    var subject: (user: UserID?, provider: Provider?) { (nil, nil) }
    func host(in app: AppID, _ services: Services) async throws -> String? { nil }
    func record(_ end: JobRecord.State, _ change: Change, in tx: Transaction) throws {}
}

/// A job as it is stored.
struct QueuedJob: Sendable {
    let id: String
    let app: AppID
    let kind: JobKind
    /// Empty for a job of a server of before.
    let lane: String
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
    public let createdAt: Moment
    /// When it was done or given up.
    public let endedAt: Moment?
    /// The last attempts that have failed, the latest first.
    public internal(set) var failures: [FailedAttempt] = []
    /// The member whose tokens it revokes. A job that is over has lost its parameters.
    public internal(set) var user: UserID?
    /// The provider that it is about, while it waits.
    public internal(set) var provider: Provider?
}

/// An attempt of a job that has failed.
public struct FailedAttempt: Sendable, Hashable {
    /// Upper bound on the attempts that a job keeps.
    static let kept = 5
    /// Upper bound on the code points of an error that is kept. The last error has all of its own.
    private static let errorLength = 120

    public let date: Moment
    /// A description for operators, without secrets.
    public let error: String

    init(_ failure: JobFailure, at date: Moment) {
        self.date = date
        error = String(String.UnicodeScalarView(failure.reason.unicodeScalars.prefix(Self.errorLength)))
    }
}

extension FailedAttempt: Codable {
    private enum CodingKeys: String, CodingKey {
        case at, error
    }

    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        date = Moment(milliseconds: try values.decode(Int64.self, forKey: .at))
        error = try values.decode(String.self, forKey: .error)
    }

    public func encode(to encoder: any Encoder) throws {
        var values = encoder.container(keyedBy: CodingKeys.self)
        try values.encode(date.milliseconds, forKey: .at)
        try values.encode(error, forKey: .error)
    }

    /// The attempts of a column; none for a text that is no list of them.
    static func list(_ text: String?) -> [FailedAttempt] {
        text.flatMap { try? JSONText.read($0) } ?? []
    }
}

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

    static func add(_ job: some Job, _ change: Change, in tx: Draft) throws {
        try add(job, app: change.app.id, vault: change.vault, at: change.moment, random: change.random, in: tx)
    }

    static func add<J: Job>(
        _ job: J, app: AppID, vault: KeyVault, at moment: Moment, random: RandomSource, in tx: Draft
    ) throws {
        let id = TimeOrderedID.session(at: moment, random: random).rawValue
        let sealed = try vault.seal(JSONWriter.bytes(of: job), for: .job(id))
        try JobQueries.insert(
            id, kind: J.kind, lane: lane(job.lane, of: app), sealed: sealed, app: app, at: moment, in: tx)
    }

    /// What is to be done; nil for a kind that only another version knows.
    ///
    /// - Throws: if it can't be read.
    static func job(_ queued: QueuedJob, vault: KeyVault) throws -> (any Job)? {
        try job(queued.id, queued.kind, queued.sealed, vault: vault)
    }

    static func job(_ id: String, _ kind: JobKind, _ sealed: [UInt8], vault: KeyVault) throws -> (any Job)? {
        guard let type = kinds.first(where: { $0.kind == kind }) else { return nil }
        return try StoredJSON.read(type, from: vault.open(sealed, for: .job(id)))
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
    static func claim(_ job: QueuedJob, at moment: Moment, in tx: Transaction) throws -> Bool {
        let seconds = max(leaseSeconds, pauseSeconds(after: job.attempts + 1))
        return try JobQueries.claim(job, until: moment.adding(seconds: seconds), in: tx)
    }

    /// The lane of a job that a server of before has added without one.
    static func lane(of queued: QueuedJob, vault: KeyVault) -> String {
        lane((try? job(queued, vault: vault))?.lane ?? queued.kind.rawValue, of: queued.app)
    }

    /// Stores the result of an attempt. A job that is over loses its payload: only the fact that it ran is kept.
    ///
    /// - Parameters:
    ///   - job: as it was claimed.
    ///   - failure: nil if the attempt has succeeded.
    /// - Returns: the job's state; nil when a later attempt has begun, because this one has taken too long.
    static func conclude(
        _ job: QueuedJob, _ failure: JobFailure?, at moment: Moment, in tx: Transaction
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

    /// Adds to a member's history how a job has ended; nothing while it waits.
    static func record(_ state: JobRecord.State, of queued: QueuedJob, _ change: Change, in tx: Transaction) throws {
        guard state != .waiting, let job = try? job(queued, vault: change.vault) else { return }
        try job.record(state, change, in: tx)
    }
}

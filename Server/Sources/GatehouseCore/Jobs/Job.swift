public import GatehouseSecurity
public import GatehouseWire

/// The kind of a job. An open set, because rows outlive versions.
public struct JobKind: WireIdentifier {
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }

    static let revokeTokens = JobKind("revoke-idp-tokens")
    static let forgetProfiles = JobKind("forget-idp-profiles")
    static let sendAlert = JobKind("send-alert")
}

/// The parameters of a job.
protocol JobPayload: Codable, Sendable {
    /// What the job has in common with those that it waits behind, such as a provider. Jobs of one app with the same lane are run one
    /// after another, and lanes take turns.
    var lane: String { get }
}

/// A claimed job.
struct Job: Sendable {
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

package import GatehouseWire

/// One sentence about an app, or about the server, with a state: what an operator needs to know first. The console shows it, and alerts
/// tell it.
package struct AppVerdict: Sendable, Hashable {
    package enum State: String, Sendable, Hashable {
        case good, warn, bad
        /// Nothing is wrong, and something is left to do before it can be right.
        case todo
    }

    /// What it is about. The raw values are stored, and the ends of the words' keys.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        case closed, maintenance, quiet, refused, providers
        case noProviders = "no-providers"
        case unknownProviders = "unknown-providers"
        case providerFails = "provider-fails"
        case providersFail = "providers-fail"
        case failures
        case nothingWaits = "nothing-waits"
        case deadJobs = "dead-jobs"
        case noKey = "no-key"
        case oldSecrets = "old-secrets"
        case keys
        case atRisk = "at-risk"
        case safe
        case importMismatch = "import-mismatch"

        case slowDatabase = "slow-database"
        case fullDisk = "full-disk"
        case lateDeadlines = "late-deadlines"
        case lateJobs = "late-jobs"
        /// Jobs of any app that have failed permanently.
        case serverDeadJobs = "server-dead-jobs"
        case wrongClock = "wrong-clock"
        case lostNodes = "lost-nodes"

        /// Whether it is about the server, of which only operators with a role on the server read.
        package var isOfServer: Bool {
            switch self {
            case .slowDatabase, .fullDisk, .lateDeadlines, .lateJobs, .serverDeadJobs, .wrongClock, .lostNodes: true
            default: false
            }
        }
    }

    package let state: State
    package let kind: Kind
    /// The provider that it is about, if it is about one.
    package let provider: Provider?
    let values: [String: Phrase.Value]
    package let phrase: Phrase

    /// - Parameter key: of the sentence; nil for the one that its kind always has.
    init(
        _ state: State, _ kind: Kind, says key: String? = nil, _ values: [String: Phrase.Value] = [:],
        of provider: Provider? = nil
    ) {
        self.state = state
        self.kind = kind
        self.values = values
        self.provider = provider
        phrase = Phrase(key ?? "verdict.\(kind.rawValue)", values)
    }
}

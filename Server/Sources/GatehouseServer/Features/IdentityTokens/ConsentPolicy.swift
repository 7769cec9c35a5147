public import GatehouseWire

/// When what a person has allowed at a provider is taken back there (MAP-8).
public enum ConsentPolicy: String, Codable, Sendable, Hashable, CaseIterable {
    /// When the member withdraws: what Apple requires of a game.
    case withdrawal
    /// Also when the mapping is removed.
    case removal
    /// Not at all, where the provider's terms allow that.
    case never

    /// The setting, and what the provider's terms ask for beyond it.
    func revokes(at end: ConsentEnd, _ kind: ProviderKind) -> Bool {
        ends.union(kind.requiredRevocations).contains(end)
    }

    private var ends: Set<ConsentEnd> {
        switch self {
        case .withdrawal: [.withdrawal]
        case .removal: [.withdrawal, .removal]
        case .never: []
        }
    }
}

/// How an identity ends that its player had allowed the game to use.
enum ConsentEnd: Sendable, Hashable {
    case withdrawal
    case removal
}

extension ProviderKind {
    /// When a provider's terms ask a game to revoke, whatever the operator prefers.
    var requiredRevocations: Set<ConsentEnd> {
        switch self {
        // App Review Guideline 5.1.1(v).
        case .apple: [.withdrawal]
        // LINE's development guidelines: when a user leaves the service, and when the user unlinks LINE.
        case .line: [.withdrawal, .removal]
        default: []
        }
    }
}

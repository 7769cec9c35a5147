public import GatehouseWire

/// When a person's consent is revoked at a provider (MAP-8).
public enum ConsentPolicy: String, Codable, Sendable, Hashable, CaseIterable {
    /// When the member withdraws, as Apple requires of a game.
    case withdrawal
    /// When the member withdraws, and when the mapping is removed.
    case removal
    /// Never, if the provider's terms allow that.
    case never

    /// Whether to revoke, according to the setting and to the requirements of the provider's terms.
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

/// How an identity ends for which the player has given consent.
enum ConsentEnd: Sendable, Hashable {
    case withdrawal
    case removal
}

extension ProviderKind {
    /// The ends at which a provider's terms require a game to revoke the consent, whatever the operator's setting.
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

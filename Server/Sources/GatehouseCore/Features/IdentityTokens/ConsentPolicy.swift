import GatehouseProviders
import GatehouseWire

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
        ends.union(kind.description.requiredRevocations).contains(end)
    }

    private var ends: Set<ConsentEnd> {
        switch self {
        case .withdrawal: [.withdrawal]
        case .removal: [.withdrawal, .removal]
        case .never: []
        }
    }
}

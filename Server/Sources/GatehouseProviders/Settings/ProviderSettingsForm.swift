/// Which settings an operator may give a provider of a kind, beside the common ones.
package enum ProviderSettingsForm: Sendable, Hashable {
    case described, openID, partner, gameCenter

    /// The form without any setting.
    package var empty: ProviderConfiguration.Form {
        switch self {
        case .described: .described
        case .openID: .openID(.init())
        case .partner: .partner(.init())
        case .gameCenter: .gameCenter(.init())
        }
    }

    package func read(
        _ container: KeyedDecodingContainer<ProviderConfiguration.CodingKeys>
    ) throws -> ProviderConfiguration.Form {
        switch self {
        case .described: .described
        case .openID: .openID(try .init(container))
        case .partner: .partner(try .init(container))
        case .gameCenter: .gameCenter(try .init(container))
        }
    }
}

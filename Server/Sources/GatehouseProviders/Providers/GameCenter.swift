import GatehouseWire

extension ProviderKind {
    /// Game Center, whose proofs are signatures of Apple's.
    public static let gameCenter = ProviderKind(
        "gamecenter", names: [ProviderName(.gameCenter)],
        ProviderDescription(settings: .gameCenter, isGameCenter: true))
}

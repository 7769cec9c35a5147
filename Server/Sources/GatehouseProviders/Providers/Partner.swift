import GatehouseWire

extension ProviderKind {
    /// A provider with its own calls, which the operator describes.
    public static let partner = ProviderKind(
        "partner", names: [.hangame, .kakaoGame],
        ProviderDescription(settings: .partner, additionalInfo: .scopes))
}

public import GatehouseWire

/// A kind of identity providers: what an operator names in its settings, with its description. A provider's name in an app may differ
/// from its kind: `studio-id` may be of kind `openid`.
///
/// Each kind stands in a file of its own in `Providers/`.
public struct ProviderKind: RawRepresentable, Codable, Sendable, Hashable, CaseIterable {
    public let rawValue: String
    /// The providers that are of this kind unless an operator says otherwise.
    package let names: [ProviderName]
    /// `docs/providers.md` names the sources.
    package let description: ProviderDescription

    package init(_ rawValue: String, names: [ProviderName], _ description: ProviderDescription) {
        self.rawValue = rawValue
        self.names = names
        self.description = description
    }

    /// Every kind, in the order of the documents.
    public static let allCases: [ProviderKind] = [
        .openID, .google, .facebook, .line, .naver, .kakao, .twitter, .weibo, .payco, .apple, .gameCenter, .partner,
    ]

    /// Nil for a kind that does not exist.
    public init?(rawValue: String) {
        guard let kind = Self.allCases.first(where: { $0.rawValue == rawValue }) else { return nil }
        self = kind
    }

    /// The default kind of a provider with this name.
    public init(standardFor provider: Provider) {
        let named = Self.allCases.first { kind in kind.names.contains { $0.provider == provider } }
        self = named ?? ProviderKind(rawValue: provider.rawValue) ?? .openID
    }

    public static func == (one: ProviderKind, other: ProviderKind) -> Bool { one.rawValue == other.rawValue }
    public func hash(into hasher: inout Hasher) { hasher.combine(rawValue) }
}

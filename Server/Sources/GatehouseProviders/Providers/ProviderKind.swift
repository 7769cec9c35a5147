package import GatehouseSecurity
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

/// A provider that has a name of its own, which no other provider gets.
package struct ProviderName: Sendable, Hashable {
    package let provider: Provider
    /// The letters with which Gamebase names a withdrawal that this provider has reported. Nil if it has none.
    package let withdrawalCause: String?

    package init(_ provider: Provider, withdrawalCause: String? = nil) {
        self.provider = provider
        self.withdrawalCause = withdrawalCause
    }

    /// All of them.
    package static let all = ProviderKind.allCases.flatMap(\.names)
}

/// The description of an identity provider: its endpoints and how its credentials are verified, in a part for each step, which stands
/// beside the code of that step. All other code contains no provider's name.
package struct ProviderDescription: Sendable {
    /// Its ID tokens, if it issues any.
    package var openID: OpenIDDescription?
    /// How an access token is verified; all checks must agree. Without any, access tokens are not accepted.
    package var checks: [ProviderCheck] = []
    /// How a player logs in with a browser, if that is possible.
    package var authorization: AuthorizationDescription?
    /// The calls that revoke a person's consent.
    package var revocation: [ProviderCall] = []
    /// What an operator may set for it, beside what every provider has.
    package var settings = ProviderSettingsForm.described
    /// Whether its proofs have Game Center's form.
    package var isGameCenter = false
    /// The use of each key of `additionalInfo` (LOGIN-3).
    package var additionalInfo: [String: AdditionalInfoUse] = [:]
    /// The ends at which its terms require a game to revoke the consent, whatever the operator's setting.
    package var requiredRevocations: Set<ConsentEnd> = []
    /// What it does as no protocol says.
    package var oddities = ProviderOddities()
    /// What it reports about persons, if it does.
    package var reports: ProviderReports?

    /// Whether the checks show to whom an access token was issued. If they don't, any app's token would be accepted.
    package var namesAudience: Bool { checks.contains { $0.audience != nil } }
}

/// What a provider does as no protocol says, as functions.
package struct ProviderOddities: Sendable {
    /// Makes the client's secret, for a provider whose clients sign it themselves.
    package var clientSecret:
        (@Sendable (_ secrets: ProviderSecrets, _ clientId: String, Moment) throws -> ProviderToken)?
    /// Why an access token can't be verified, by its form alone. Nil for one that can.
    package var refusal: (@Sendable (ProviderToken) -> String?)?
    /// Further values of placeholders in calls with a person's token.
    package var tokenValues: (@Sendable (ProviderToken, ProviderSecrets) -> [String: String])?
    /// The beginnings of the words with which it refuses a client in a form of its own, for a test of the settings.
    package var clientErrors: [String] = []
    /// The person's name in the parameters of a page's answer.
    package var personName: (@Sendable ([String: String]) -> String?)?
}

/// What an identity provider gave to a client: for the server to verify, never for a log.
public struct ProviderToken: WireSecret, ExpressibleByStringLiteral {
    public let secretValue: String
    public init(_ secretValue: String) { self.secretValue = secretValue }
    public init(stringLiteral value: String) { secretValue = value }
}

/// What a player logs in with, or maps: the identity provider, and what it issued. For `guest` the call's proof is the whole
/// credential (LOGIN-1).
public struct Credential: Codable, Sendable, Hashable {
    public var provider: Provider
    /// An OpenID Connect ID token.
    public var idToken: ProviderToken?
    /// An OAuth access token.
    public var accessToken: ProviderToken?
    /// The nonce that the ID token was asked for with, as it stands in the token.
    public var nonce: String?
    /// Whether a login replaces the one that there is (LOGIN-6). It stays on the device.
    public var ignoresCurrentLogin = false

    public init(
        provider: Provider, idToken: ProviderToken? = nil, accessToken: ProviderToken? = nil, nonce: String? = nil,
        ignoresCurrentLogin: Bool = false
    ) {
        self.provider = provider
        self.idToken = idToken
        self.accessToken = accessToken
        self.nonce = nonce
        self.ignoresCurrentLogin = ignoresCurrentLogin
    }

    private enum CodingKeys: String, CodingKey {
        case provider, idToken, accessToken, nonce
    }
}

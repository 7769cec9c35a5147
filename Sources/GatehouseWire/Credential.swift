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
    /// An authorization code, which the server exchanges. Beside an ID token of Apple's: what it brings can be revoked.
    public var authorizationCode: ProviderToken?
    /// The redirect URI that the code was asked for with, if any.
    public var redirectUri: String?
    /// The PKCE verifier that the code was asked for with, if any.
    public var codeVerifier: ProviderToken?
    /// What a browser login at this server ended with.
    public var loginCode: ProviderToken?
    /// Game Center's proof.
    public var gameCenter: GameCenterProof?
    /// The nonce that the ID token was asked for with, as it stands in the token.
    public var nonce: String?
    /// The region whose channel issued it, where the provider has several (LOGIN-3).
    public var region: String?
    /// The person's name, where the provider tells it to the client alone, and only once: Apple.
    public var personName: String?
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
        case provider, idToken, accessToken, authorizationCode, redirectUri, codeVerifier, loginCode, gameCenter, nonce
        case region, personName
    }
}

/// What Game Center signs for a server: `fetchItems(forIdentityVerificationSignature:)`.
public struct GameCenterProof: Codable, Sendable, Hashable {
    /// Which of the player's ids was signed.
    public struct Kind: WireIdentifier {
        public let rawValue: String
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The player's id in all the team's games.
        public static let team = Kind("team")
        /// The player's id in one game: for games of Apple Arcade.
        public static let game = Kind("game")
    }

    public var publicKeyUrl: String
    /// Base64.
    public var signature: String
    /// Base64.
    public var salt: String
    /// Milliseconds since 1970, as it was signed.
    public var timestamp: UInt64
    /// The id that was signed.
    public var playerId: String
    public var kind: Kind
    public var bundleId: String

    public init(
        publicKeyUrl: String, signature: String, salt: String, timestamp: UInt64, playerId: String, kind: Kind = .team,
        bundleId: String
    ) {
        self.publicKeyUrl = publicKeyUrl
        self.signature = signature
        self.salt = salt
        self.timestamp = timestamp
        self.playerId = playerId
        self.kind = kind
        self.bundleId = bundleId
    }
}

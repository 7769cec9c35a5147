/// A token that an identity provider issued to a client. The server verifies it; it must never be logged.
public struct ProviderToken: WireSecret, ExpressibleByStringLiteral {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
    /// Makes the value from a literal.
    public init(stringLiteral value: String) { secretValue = value }
}

/// What a player logs in with, or maps: the identity provider, and what it issued. For `guest` the call's proof is the entire
/// credential (LOGIN-1).
public struct Credential: Codable, Sendable, Hashable {
    /// The identity provider.
    public var provider: Provider
    /// An OpenID Connect ID token.
    public var idToken: ProviderToken?
    /// An OAuth access token.
    public var accessToken: ProviderToken?
    /// An authorization code, which the server exchanges. It may accompany an ID token from Apple: the tokens that it is exchanged for
    /// can be revoked.
    public var authorizationCode: ProviderToken?
    /// The redirect URI with which the code was requested, if any.
    public var redirectUri: String?
    /// The PKCE verifier with which the code was requested, if any.
    public var codeVerifier: ProviderToken?
    /// The code that a browser login at this server ended with.
    public var loginCode: ProviderToken?
    /// Game Center's proof.
    public var gameCenter: GameCenterProof?
    /// The nonce with which the ID token was requested, as it appears in the token.
    public var nonce: String?
    /// The region whose channel issued the credential, where the provider has several (LOGIN-3).
    public var region: String?
    /// The person's name. Only Apple sets it, because it gives the name only to the client, and only once.
    public var personName: String?

    /// Makes the value from its parts.
    public init(
        provider: Provider, idToken: ProviderToken? = nil, accessToken: ProviderToken? = nil, nonce: String? = nil
    ) {
        self.provider = provider
        self.idToken = idToken
        self.accessToken = accessToken
        self.nonce = nonce
    }
}

/// What Game Center signs for a server: `fetchItems(forIdentityVerificationSignature:)`.
public struct GameCenterProof: Codable, Sendable, Hashable {
    /// Which of the player's ids was signed.
    public struct Kind: WireIdentifier {
        /// The value on the wire.
        public let rawValue: String
        /// Wraps a value of the wire.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// The player's id in all games of the team.
        public static let team = Kind("team")
        /// The player's id in one game, for games of Apple Arcade.
        public static let game = Kind("game")
    }

    /// The address of Apple's public key for the signature.
    public var publicKeyUrl: String
    /// Base64.
    public var signature: String
    /// Base64.
    public var salt: String
    /// Milliseconds since 1970, as in the signed data.
    public var timestamp: UInt64
    /// The player's id that was signed.
    public var playerId: String
    /// Which of the player's ids was signed.
    public var kind: Kind
    /// The game's bundle id, as in the signed data.
    public var bundleId: String

    /// Makes the value from its parts.
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

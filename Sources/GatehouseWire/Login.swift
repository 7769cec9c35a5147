/// The result of a successful login (LOGIN-11).
public struct Login: Codable, Sendable, Hashable {
    /// The member who is logged in.
    public var member: Member
    /// The identity provider with which this session was opened.
    public var provider: Provider
    /// The session's tokens.
    public var session: SessionTokens
    /// What the member may do now.
    public var standing: Standing
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64
    /// Which player of another system this login has brought; nil for every other login.
    public var migrated: LegacyMigration?

    /// Makes the value from its parts.
    public init(
        member: Member, provider: Provider, session: SessionTokens, standing: Standing, serverDate: Int64,
        migrated: LegacyMigration? = nil
    ) {
        self.member = member
        self.provider = provider
        self.session = session
        self.standing = standing
        self.serverDate = serverDate
        self.migrated = migrated
    }
}

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

/// Begins a login with a browser: which provider to log in at, and where the browser comes back to the game.
public struct LoginAttemptRequest: Codable, Sendable, Hashable {
    /// The identity provider to log in at.
    public var provider: Provider
    /// An `http` URL on a loopback address of this device at any port and path (RFC 8252 section 7.3), or a redirect that the operator
    /// has registered for the app: a URL scheme of the game, or an https link that opens it.
    public var redirectUri: String
    /// The region to log in at, where the provider has several (LOGIN-3).
    public var region: String?
    /// What the game passed with its call. A key here takes precedence over the operator's (LOGIN-3).
    public var additionalInfo: [String: JSONValue]?
    /// Whether the provider must ask for an account and its password again, because the player has logged out of it on this device
    /// (LOGOUT-1, MAP-8).
    public var reauthenticates: Bool?

    /// Makes the value from its parts.
    public init(
        provider: Provider, redirectUri: String, region: String? = nil, additionalInfo: [String: JSONValue]? = nil,
        reauthenticates: Bool? = nil
    ) {
        self.provider = provider
        self.redirectUri = redirectUri
        self.region = region
        self.additionalInfo = additionalInfo
        self.reauthenticates = reauthenticates
    }
}

/// Where to send the player's browser. It comes back to `redirectUri` with ``LoginReturn``'s parameters.
public struct LoginAttempt: Codable, Sendable, Hashable {
    /// The address of the provider's page.
    public var authorizationUrl: String
    /// When the attempt expires, in milliseconds since 1970, UTC.
    public var expiryDate: Int64
    /// True when the provider should ask for a password again and documents no parameter for that. The page must be shown in a
    /// browser session without earlier logins.
    public var needsPrivateSession: Bool?
    /// Keys of the request's ``LoginAttemptRequest/additionalInfo`` that this provider doesn't use.
    public var unusedKeys: [String]?

    /// Makes the value from its parts.
    public init(
        authorizationUrl: String, expiryDate: Int64, needsPrivateSession: Bool? = nil, unusedKeys: [String]? = nil
    ) {
        self.authorizationUrl = authorizationUrl
        self.expiryDate = expiryDate
        self.needsPrivateSession = needsPrivateSession
        self.unusedKeys = unusedKeys
    }
}

/// The parameters that a browser brings back to the game.
public enum LoginReturn {
    /// The code to log in with: ``Credential/loginCode``. It is useless without the key of the device that began the login.
    public static let code = "code"
    /// Why there is no code: ``cancelled``, or a word of ``ErrorReason``.
    public static let error = "error"
    /// The player has cancelled at the provider's page.
    public static let cancelled = "cancelled"
}

/// A device asks what an identity provider has reported about its player (INFO-2).
public struct OwnProfileRequest: Codable, Sendable, Hashable {
    /// The identity provider that has reported.
    public var provider: Provider

    /// Makes the request from its parts.
    public init(provider: Provider) {
        self.provider = provider
    }
}

/// What an identity provider told at a login whose session goes on (LOGIN-9).
public struct ProviderProfile: Codable, Sendable, Hashable {
    /// The identity provider that has reported.
    public var provider: Provider
    /// The account at the identity provider.
    public var subject: String
    /// The fields under the provider's own names, which differ between providers.
    public var profile: [String: JSONValue]
    /// The provider's access token, from a login by page or by credential.
    public var accessToken: ProviderToken?
    /// The provider's ID token, if the login brought no access token.
    public var idToken: ProviderToken?

    /// Makes the profile from its parts.
    public init(
        provider: Provider, subject: String, profile: [String: JSONValue], accessToken: ProviderToken?,
        idToken: ProviderToken? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.profile = profile
        self.accessToken = accessToken
        self.idToken = idToken
    }
}

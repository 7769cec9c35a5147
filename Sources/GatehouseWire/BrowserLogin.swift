/// A login with a browser begins: at which provider, and where the browser comes back to the game.
public struct LoginAttemptRequest: Codable, Sendable, Hashable {
    public var provider: Provider
    /// `http` to this device's loopback addresses at any port and path (RFC 8252 section 7.3), or one that the operator has
    /// named for the app: a scheme of the game's own, or an https link that opens it.
    public var redirectUri: String
    /// The region to log in at, where the provider has several (LOGIN-3).
    public var region: String?
    /// What the game gave with its call. Each key wins over the same key of the operator's (LOGIN-3).
    public var additionalInfo: [String: JSONValue]?
    /// Whether the provider is to ask for an account and its password anew: the player has logged out of it on this device
    /// (LOGOUT-1, MAP-8).
    public var reauthenticates: Bool?

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

/// Where the player's browser is to go. It comes back to `redirectUri` with ``LoginReturn``'s parameters.
public struct LoginAttempt: Codable, Sendable, Hashable {
    public var authorizationUrl: String
    /// Until when the player may take, in milliseconds since 1970, UTC.
    public var expiryDate: Int64
    /// True when the provider was to ask anew and documents no parameter that makes it ask for a password: the page belongs into
    /// a browser session that knows no earlier login.
    public var needsPrivateSession: Bool?
    /// Keys of the request's ``LoginAttemptRequest/additionalInfo`` that this provider has no use for.
    public var unusedKeys: [String]?

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
    /// What the game logs in with: ``Credential/loginCode``. It is worth nothing without the key of the device that began.
    public static let code = "code"
    /// Why there is none: ``cancelled``, or a word of ``ErrorReason``.
    public static let error = "error"
    /// The player has turned back at the provider's page.
    public static let cancelled = "cancelled"
}

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

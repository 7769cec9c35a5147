/// The tokens of a new or continued session.
public struct SessionTokens: Codable, Sendable, Hashable {
    /// Authenticates calls, together with a proof by the device's key.
    public var accessToken: AccessToken
    /// When ``accessToken`` expires, in milliseconds since 1970 by the server's clock.
    public var accessTokenExpiryDate: Int64
    /// Present only when the session is new. It works until the session ends, and is sent only once.
    public var refreshToken: RefreshToken?
    /// When the session expires if it is not used again, in milliseconds since 1970 by the server's clock.
    public var sessionExpiryDate: Int64

    /// Makes the value from its parts.
    public init(
        accessToken: AccessToken, accessTokenExpiryDate: Int64, refreshToken: RefreshToken?, sessionExpiryDate: Int64
    ) {
        self.accessToken = accessToken
        self.accessTokenExpiryDate = accessTokenExpiryDate
        self.refreshToken = refreshToken
        self.sessionExpiryDate = sessionExpiryDate
    }
}

/// A new access token for an existing session. A renewal is no login: the last login date stays.
public struct SessionRenewal: Codable, Sendable, Hashable {
    /// The session's new access token.
    public var session: SessionTokens
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64

    /// Makes the value from its parts.
    public init(session: SessionTokens, serverDate: Int64) {
        self.session = session
        self.serverDate = serverDate
    }
}

/// The response to a client's heartbeat.
public struct Heartbeat: Codable, Sendable, Hashable {
    /// What the member may do now.
    public var standing: Standing
    /// The seconds until the next heartbeat.
    public var nextHeartbeatSeconds: Int
    /// The server's clock, in milliseconds since 1970, UTC.
    public var serverDate: Int64

    /// Makes the value from its parts.
    public init(standing: Standing, nextHeartbeatSeconds: Int, serverDate: Int64) {
        self.standing = standing
        self.nextHeartbeatSeconds = nextHeartbeatSeconds
        self.serverDate = serverDate
    }
}

/// The public keys that an app's access tokens verify against (RFC 7517).
public struct KeySet: Codable, Sendable, Hashable {
    /// The keys that sign now or have signed tokens that are still valid, and the next one.
    public var keys: [PublicKey]

    /// Makes the value from its parts.
    public init(keys: [PublicKey]) {
        self.keys = keys
    }
}

/// A P-256 public key (RFC 7517, RFC 7518 section 6.2).
public struct PublicKey: Codable, Sendable, Hashable {
    /// The kind of key: `EC`.
    public var kty: String
    /// The curve: `P-256`.
    public var crv: String
    /// 32 bytes in base64url.
    public var x: String
    /// 32 bytes in base64url.
    public var y: String
    /// The key's id, as in the header of a token.
    public var kid: String?
    /// The algorithm: `ES256`.
    public var alg: String?
    /// The use: `sig`.
    public var use: String?

    /// Makes the value from its parts.
    public init(x: String, y: String, kid: String? = nil, alg: String? = nil, use: String? = nil) {
        kty = "EC"
        crv = "P-256"
        self.x = x
        self.y = y
        self.kid = kid
        self.alg = alg
        self.use = use
    }

    /// The input of RFC 7638's hash for the thumbprint: the required members, in this order, without spaces.
    public var thumbprintInput: String {
        #"{"crv":"\#(crv)","kty":"\#(kty)","x":"\#(x)","y":"\#(y)"}"#
    }
}

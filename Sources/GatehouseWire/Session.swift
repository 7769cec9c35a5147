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

/// A secret string. Printing, logging or interpolating it shows only its kind.
public protocol WireSecret: Hashable, Sendable, Codable, CustomStringConvertible, CustomDebugStringConvertible,
    CustomReflectable
{
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    var secretValue: String { get }
    /// Wraps a secret.
    init(_ secretValue: String)
}

extension WireSecret {
    /// Only the kind of secret, such as `<AccessToken>`.
    public var description: String { "<\(Self.self)>" }
    /// Only the kind of secret, such as `<AccessToken>`.
    public var debugDescription: String { description }
    /// Nothing, so that `dump` shows no secret either.
    public var customMirror: Mirror { Mirror(self, children: []) }

    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        self.init(try decoder.singleValueContainer().decode(String.self))
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(secretValue)
    }
}

/// A short-lived ES256 JWT, bound to the device's key by `cnf.jkt` (RFC 9449 section 6.1).
public struct AccessToken: WireSecret {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
}

/// Continues a session without asking the player: opaque, 256 bits, and useless without the device's key.
public struct RefreshToken: WireSecret {
    /// The secret itself: for the wire and for hashing, never for a log or an error.
    public let secretValue: String
    /// Wraps a secret.
    public init(_ secretValue: String) { self.secretValue = secretValue }
}

/// A session of a member that goes on: a device that is logged in, as the member's player and its game server see it.
public struct DeviceSession: Codable, Sendable, Hashable {
    /// The session's id, with which it can be ended. It is no secret: it authenticates nothing.
    public var sessionId: SessionID
    /// The identity provider with which the session was opened.
    public var provider: Provider
    /// The device's system, as ``ClientInformation/osCode``. Like the next three, it is what the device has said of itself at its login;
    /// nil where it has said nothing. ``platformName`` is its name for people.
    public var osCode: String?
    /// The system's version, such as `17.4.1`.
    public var osVersion: String?
    /// The model's name, such as `iPhone17,2`.
    public var deviceModel: String?
    /// The game's own version.
    public var clientVersion: String?
    /// Where the device's private key is, as the device has said with its login or its last renewal; nil where it has said nothing.
    public var keyProtection: KeyProtection?
    /// When the session began, in milliseconds since 1970, UTC.
    public var beginDate: Int64
    /// When the session was last used to log in or to get an access token, in milliseconds since 1970, UTC. A game that is being played
    /// gets a token before the last one expires, within the hour by default.
    public var lastUsedDate: Int64
    /// Whether this is the session that asks. Always false in the answer to a game server.
    public var isCurrent: Bool

    /// Makes the value from its parts.
    public init(
        sessionId: SessionID, provider: Provider, client: ClientInformation? = nil,
        keyProtection: KeyProtection? = nil, beginDate: Int64, lastUsedDate: Int64, isCurrent: Bool
    ) {
        self.sessionId = sessionId
        self.provider = provider
        osCode = client?.osCode
        osVersion = client?.osVersion
        deviceModel = client?.deviceModel
        clientVersion = client?.clientVersion
        self.keyProtection = keyProtection
        self.beginDate = beginDate
        self.lastUsedDate = lastUsedDate
        self.isCurrent = isCurrent
    }

    /// The name of the device's system as players know it, such as `iOS`; the code itself for an unknown one, and nil if the device has
    /// not told it.
    public var platformName: String? { osCode.map { Self.platformNames[$0] ?? $0 } }

    private static let platformNames = [
        "IOS": "iOS", "MACOS": "macOS", "AOS": "Android", "WEB": "Web", "WINDOWS": "Windows",
    ]
}

/// The sessions of the caller's own account.
public struct DeviceSessions: Codable, Sendable, Hashable {
    /// The caller's session and up to a hundred others, newest first.
    public var sessions: [DeviceSession]
    /// Whether these are all. ``DeviceEndpoints/endOtherSessions`` ends those too that are not listed.
    public var isComplete: Bool

    /// Makes the value from its parts.
    public init(sessions: [DeviceSession], isComplete: Bool) {
        self.sessions = sessions
        self.isComplete = isComplete
    }
}

/// A player ends another session of its account.
public struct SessionEndRequest: Codable, Sendable, Hashable {
    /// The session, one of ``DeviceSessions/sessions`` other than the caller's own.
    public var sessionId: SessionID

    /// Makes the request from its parts.
    public init(sessionId: SessionID) {
        self.sessionId = sessionId
    }
}

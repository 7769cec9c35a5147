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

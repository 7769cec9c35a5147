public import GatehouseWire

/// A game server asks where a member is logged in.
public struct MemberSessionsRequest: Codable, Sendable, Hashable {
    /// The member.
    public var userId: UserID
    /// ``MemberSessions/next`` of the previous list, which this list continues; nil for the newest sessions.
    public var after: SessionID?

    /// Makes the request from its parts.
    public init(userId: UserID, after: SessionID? = nil) {
        self.userId = userId
        self.after = after
    }
}

/// A part of the sessions of a member that go on.
public struct MemberSessions: Codable, Sendable, Hashable {
    /// Up to a hundred sessions, newest first.
    public var sessions: [DeviceSession]
    /// The value of ``MemberSessionsRequest/after`` for the next list; nil at the end.
    public var next: SessionID?

    /// Makes the answer from its parts.
    public init(sessions: [DeviceSession], next: SessionID?) {
        self.sessions = sessions
        self.next = next
    }
}

/// A game server ends one session of a member.
public struct MemberSessionEndRequest: Codable, Sendable, Hashable {
    /// The member.
    public var userId: UserID
    /// The session, one of ``MemberSessions/sessions``.
    public var sessionId: SessionID
    /// Who ends the session, for the histories: 1 to 128 bytes.
    public var registeredBy: String

    /// Makes the request from its parts.
    public init(userId: UserID, sessionId: SessionID, registeredBy: String) {
        self.userId = userId
        self.sessionId = sessionId
        self.registeredBy = registeredBy
    }
}

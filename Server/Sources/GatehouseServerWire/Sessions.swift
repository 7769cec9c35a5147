public import GatehouseWire

/// A game server asks whose access token this is (INFO-3). The token is in the body, never in the URL.
public struct TokenCheckRequest: Codable, Sendable, Hashable {
    /// The token that the player's device has presented to the game server.
    public var accessToken: AccessToken
    /// When given, the token must belong to this member.
    public var userId: UserID?

    /// Makes the request from its parts.
    public init(accessToken: AccessToken, userId: UserID? = nil) {
        self.accessToken = accessToken
        self.userId = userId
    }
}

/// The token is valid now, as checked against the database.
public struct TokenCheck: Codable, Sendable, Hashable {
    /// The member whose token it is.
    public var member: Member
    /// The identity provider with which the session was opened.
    public var provider: Provider
    /// The session that the token belongs to.
    public var sessionId: SessionID
    /// When the access token expires, in milliseconds since 1970, UTC.
    public var accessTokenExpiryDate: Int64

    /// Makes the response from its parts.
    public init(member: Member, provider: Provider, sessionId: SessionID, accessTokenExpiryDate: Int64) {
        self.member = member
        self.provider = provider
        self.sessionId = sessionId
        self.accessTokenExpiryDate = accessTokenExpiryDate
    }
}

/// A game server asks what a member's identity provider has reported (INFO-4).
public struct ProviderProfileRequest: Codable, Sendable, Hashable {
    /// The member.
    public var userId: UserID
    /// The identity provider that has reported.
    public var provider: Provider

    /// Makes the request from its parts.
    public init(userId: UserID, provider: Provider) {
        self.userId = userId
        self.provider = provider
    }
}

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

/// A game server that verifies signatures itself asks which tokens were revoked before they expired (INFO-3).
public struct RevocationsRequest: Codable, Sendable, Hashable {
    /// The start of the first list, in milliseconds since 1970, UTC; absent for every revocation that can still matter.
    public var sinceDate: Int64?
    /// ``SignedRevocations/cursor`` of the previous list, which this list continues: at most 64 bytes.
    public var cursor: String?

    /// Makes the request from its parts.
    public init(sinceDate: Int64? = nil, cursor: String? = nil) {
        self.sinceDate = sinceDate
        self.cursor = cursor
    }
}

/// A list of revocations as it is sent.
public struct SignedRevocations: Codable, Sendable, Hashable {
    /// A JWT of type ``RevocationList/tokenType``, signed with one of the app's keys; its claims are a ``RevocationList``.
    public var revocations: String
    /// The value of ``RevocationsRequest/cursor`` for the next call.
    public var cursor: String
    /// The seconds until the next call should come; 0 when more can be fetched at once.
    public var nextSeconds: Int
    /// The app's current public keys, including the one that signed the list: verifying it needs no other call, and a new key is known
    /// before its first token arrives.
    public var jwks: KeySet

    /// Makes the response from its parts.
    public init(revocations: String, cursor: String, nextSeconds: Int, jwks: KeySet) {
        self.revocations = revocations
        self.cursor = cursor
        self.nextSeconds = nextSeconds
        self.jwks = jwks
    }
}

/// Access tokens that were revoked before they expired. The last minute of the previous list is repeated.
public struct RevocationList: Codable, Sendable, Hashable {
    /// The `typ` of the JWT's header.
    public static let tokenType = "revocations+jwt"

    /// The app: the `aud` claim.
    public var appId: AppID
    /// When the list was made: the `iat` claim, in seconds since 1970, UTC.
    public var issuedAt: Int64
    /// Whether the list contains everything up to this moment.
    public var isComplete: Bool
    /// Every token of the app with a smaller `iat` is revoked, because everyone was kicked out. In seconds since 1970, UTC, up to three
    /// seconds after the kick-out.
    public var everyoneBefore: Int64?
    /// The `kid`s of revoked signing keys: every token that they signed is invalid, even if the key is still known.
    public var revokedKeys: [String]
    /// The revoked tokens, oldest first.
    public var revocations: [Revocation]

    /// Makes the list from its parts.
    public init(
        appId: AppID, issuedAt: Int64, isComplete: Bool, everyoneBefore: Int64?, revokedKeys: [String],
        revocations: [Revocation]
    ) {
        self.appId = appId
        self.issuedAt = issuedAt
        self.isComplete = isComplete
        self.everyoneBefore = everyoneBefore
        self.revokedKeys = revokedKeys
        self.revocations = revocations
    }

    private enum CodingKeys: String, CodingKey {
        case appId = "aud"
        case issuedAt = "iat"
        case isComplete, everyoneBefore, revokedKeys, revocations
    }
}

/// Revoked tokens of one member: those of ``userId`` that match all properties given here.
public struct Revocation: Codable, Sendable, Hashable {
    /// The member: the `sub` claim of its tokens.
    public var userId: UserID
    /// Matches tokens of this session, by their `sid`.
    public var sessionId: SessionID?
    /// Matches tokens of logins with this identity provider, by their `idp`, that were issued before ``revokedAt``.
    public var provider: Provider?
    /// Matches tokens of an earlier generation: their `gen` is smaller.
    public var generation: Int64?
    /// Why the tokens were revoked.
    public var reason: ErrorReason
    /// When they were revoked, in seconds since 1970, UTC, as `iat` is.
    public var revokedAt: Int64

    /// Makes the revocation from its parts.
    public init(
        userId: UserID, sessionId: SessionID?, provider: Provider?, generation: Int64?, reason: ErrorReason,
        revokedAt: Int64
    ) {
        self.userId = userId
        self.sessionId = sessionId
        self.provider = provider
        self.generation = generation
        self.reason = reason
        self.revokedAt = revokedAt
    }

    private enum CodingKeys: String, CodingKey {
        case userId = "sub"
        case sessionId = "sid"
        case provider = "idp"
        case generation = "gen"
        case reason, revokedAt
    }
}

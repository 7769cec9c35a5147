/// A game server that checks signatures by itself asks which tokens ended before their time (INFO-3).
public struct RevocationsRequest: Codable, Sendable, Hashable {
    /// From when the first list is to tell, in milliseconds since 1970, UTC; absent for all that can still matter.
    public var sinceDate: Int64?
    /// ``SignedRevocations/cursor`` of the list before: this one goes on there.
    public var cursor: String?

    public init(sinceDate: Int64? = nil, cursor: String? = nil) {
        self.sinceDate = sinceDate
        self.cursor = cursor
    }
}

/// A list of revocations as it travels.
public struct SignedRevocations: Codable, Sendable, Hashable {
    /// A JWT of type ``RevocationList/tokenType``, signed with one of the app's keys; its claims are a ``RevocationList``.
    public var revocations: String
    /// What the next call gives as ``RevocationsRequest/cursor``.
    public var cursor: String
    /// When the next call should come; 0 when there is more to fetch at once.
    public var nextSeconds: Int
    /// The app's public keys of this moment, the list's own among them: whoever reads the list needs no other call to verify it,
    /// and knows of a new key before its first token comes.
    public var jwks: KeySet

    public init(revocations: String, cursor: String, nextSeconds: Int, jwks: KeySet) {
        self.revocations = revocations
        self.cursor = cursor
        self.nextSeconds = nextSeconds
        self.jwks = jwks
    }
}

/// Access tokens that ended before their time. What the list before has told of its last minute comes again.
public struct RevocationList: Codable, Sendable, Hashable {
    /// The `typ` of its header.
    public static let tokenType = "revocations+jwt"

    public var appId: AppID
    /// Seconds since 1970, UTC.
    public var issuedAt: Int64
    /// Whether everything up to this moment is told.
    public var isComplete: Bool
    /// Every token of the app whose `iat` is less is revoked: everyone was kicked out. Seconds since 1970, UTC, up to three later than
    /// that.
    public var everyoneBefore: Int64?
    /// The `kid`s of signing keys that were revoked: every token of theirs is worth nothing, also where the key is still known.
    public var revokedKeys: [String]
    /// Oldest first.
    public var revocations: [Revocation]

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

/// Tokens of one member that are worth nothing any more: those of ``userId`` to which all that is given here applies.
public struct Revocation: Codable, Sendable, Hashable {
    /// The member: `sub` of its tokens.
    public var userId: UserID
    /// Tokens of this session: their `sid`.
    public var sessionId: SessionID?
    /// Tokens of logins with this identity provider, their `idp`, that were issued before ``revokedAt``.
    public var provider: Provider?
    /// Tokens of an earlier generation: their `gen` is less.
    public var generation: Int64?
    public var reason: ErrorReason
    /// Seconds since 1970, UTC, as `iat` is.
    public var revokedAt: Int64

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

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

/// A game server bans members (BAN-1).
public struct BanRequest: Codable, Sendable, Hashable {
    /// At most 100.
    public var userIds: [UserID]
    public var banType: BanType
    /// When a temporary ban ends, in milliseconds since 1970, UTC.
    public var endDate: Int64?
    /// The template of the message to players.
    public var templateCode: Int?
    /// The reason, for operators.
    public var reason: String
    /// Who bans the members, for the histories.
    public var registeredBy: String
    /// Text for the game's own servers, stored with the ban and shown in its history: Gamebase's `leaderboard`.
    public var flags: String?

    public init(
        userIds: [UserID], banType: BanType, endDate: Int64? = nil, templateCode: Int? = nil, reason: String,
        registeredBy: String, flags: String? = nil
    ) {
        self.userIds = userIds
        self.banType = banType
        self.endDate = endDate
        self.templateCode = templateCode
        self.reason = reason
        self.registeredBy = registeredBy
        self.flags = flags
    }
}

/// A game server releases bans.
public struct BanReleaseRequest: Codable, Sendable, Hashable {
    /// At most 100.
    public var userIds: [UserID]
    /// The reason, for operators.
    public var reason: String
    public var registeredBy: String

    public init(userIds: [UserID], reason: String, registeredBy: String) {
        self.userIds = userIds
        self.reason = reason
        self.registeredBy = registeredBy
    }
}

/// The members that the call did not change: unknown, withdrawn, or not in the state that the call requires.
public struct MembersOutcome: Codable, Sendable, Hashable {
    public var failedUserIds: [UserID]

    public init(failedUserIds: [UserID]) {
        self.failedUserIds = failedUserIds
    }
}

/// A game server registers a grace ban (BAN-4).
public struct GraceBanRequest: Codable, Sendable, Hashable {
    public var userId: UserID
    public var graceBan: GraceBan
    public var registeredBy: String

    public init(userId: UserID, graceBan: GraceBan, registeredBy: String) {
        self.userId = userId
        self.graceBan = graceBan
        self.registeredBy = registeredBy
    }
}

/// A game server releases a grace ban.
public struct GraceBanReleaseRequest: Codable, Sendable, Hashable {
    public var userId: UserID
    public var reason: String
    public var registeredBy: String

    public init(userId: UserID, reason: String, registeredBy: String) {
        self.userId = userId
        self.reason = reason
        self.registeredBy = registeredBy
    }
}

/// A game server reports a payment. Each payment counts once, by its id.
public struct PaymentReport: Codable, Sendable, Hashable {
    public var userId: UserID
    /// 1 to 128 bytes, unique in the app.
    public var paymentId: String
    public var amount: Double
    /// ISO 4217.
    public var currency: String

    public init(userId: UserID, paymentId: String, amount: Double, currency: String) {
        self.userId = userId
        self.paymentId = paymentId
        self.amount = amount
        self.currency = currency
    }
}

/// The effect of a payment.
public struct PaymentOutcome: Codable, Sendable, Hashable {
    /// False for a payment that was reported before, which is not counted again.
    public var isNew: Bool
    /// Whether this payment has released the member's grace ban.
    public var releasesGraceBan: Bool
    /// The current grace ban, if the member has one.
    public var graceBan: GraceBan?

    public init(isNew: Bool, releasesGraceBan: Bool, graceBan: GraceBan?) {
        self.isNew = isNew
        self.releasesGraceBan = releasesGraceBan
        self.graceBan = graceBan
    }
}

/// A game server ends a member's sessions, or everyone's (BAN-5).
public struct KickOutRequest: Codable, Sendable, Hashable {
    /// Nil for everyone.
    public var userId: UserID?
    /// The message to players, by language (BCP 47).
    public var message: [String: String]
    public var registeredBy: String

    public init(userId: UserID? = nil, message: [String: String] = [:], registeredBy: String) {
        self.userId = userId
        self.message = message
        self.registeredBy = registeredBy
    }
}

/// A game server asks what a member's identity provider has reported (INFO-4).
public struct ProviderProfileRequest: Codable, Sendable, Hashable {
    public var userId: UserID
    public var provider: Provider

    public init(userId: UserID, provider: Provider) {
        self.userId = userId
        self.provider = provider
    }
}

/// A device asks what an identity provider has reported about its player (INFO-2).
public struct OwnProfileRequest: Codable, Sendable, Hashable {
    public var provider: Provider

    public init(provider: Provider) {
        self.provider = provider
    }
}

/// What an identity provider told at a login whose session goes on (LOGIN-9).
public struct ProviderProfile: Codable, Sendable, Hashable {
    public var provider: Provider
    /// The account at the identity provider.
    public var subject: String
    /// The fields under the provider's own names, which differ between providers.
    public var profile: [String: JSONValue]
    /// The provider's access token, from a login by page or by credential.
    public var accessToken: ProviderToken?
    /// The provider's ID token, if the login brought no access token.
    public var idToken: ProviderToken?

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

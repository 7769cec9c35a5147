public import GatehouseWire

/// A game server bans members (BAN-1).
public struct BanRequest: Codable, Sendable, Hashable {
    /// The members: 1 to 300.
    public var userIds: [UserID]
    /// How long the ban lasts: ``GatehouseWire/BanType/temporary`` or ``GatehouseWire/BanType/permanent``.
    public var banType: BanType
    /// When a temporary ban ends, in milliseconds since 1970, UTC. Nil for a permanent ban.
    public var endDate: Int64?
    /// The template of the message to players, one of the app's ban templates. Nil for no message.
    public var templateCode: Int?
    /// The reason, for operators: 1 to 1000 bytes.
    public var reason: String
    /// Who bans the members, for the histories: 1 to 128 bytes.
    public var registeredBy: String
    /// Text for the game's own servers, stored with the ban and shown in its history: Gamebase's `leaderboard`. At most 256 bytes.
    public var flags: String?

    /// Makes the request from its parts.
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
    /// The members: 1 to 300.
    public var userIds: [UserID]
    /// The reason, for operators: 1 to 1000 bytes.
    public var reason: String
    /// Who releases the members, for the histories: 1 to 128 bytes.
    public var registeredBy: String

    /// Makes the request from its parts.
    public init(userIds: [UserID], reason: String, registeredBy: String) {
        self.userIds = userIds
        self.reason = reason
        self.registeredBy = registeredBy
    }
}

/// The members that the call did not change: unknown, withdrawn, or not in the state that the call requires.
public struct MembersOutcome: Codable, Sendable, Hashable {
    /// The unchanged members, in ascending order.
    public var failedUserIds: [UserID]

    /// Makes the response from its parts.
    public init(failedUserIds: [UserID]) {
        self.failedUserIds = failedUserIds
    }
}

/// A game server ends a member's sessions, or everyone's (BAN-5).
public struct KickOutRequest: Codable, Sendable, Hashable {
    /// The member. Nil for everyone.
    public var userId: UserID?
    /// The message to players, by language (BCP 47). Empty for the default message of the server.
    public var message: [String: String]
    /// Who ends the sessions, for the histories: 1 to 128 bytes.
    public var registeredBy: String

    /// Makes the request from its parts.
    public init(userId: UserID? = nil, message: [String: String] = [:], registeredBy: String) {
        self.userId = userId
        self.message = message
        self.registeredBy = registeredBy
    }
}

/// A game server registers a grace ban (BAN-4).
public struct GraceBanRequest: Codable, Sendable, Hashable {
    /// The member.
    public var userId: UserID
    /// The deadline, the message, and the payments that release the member. The payments so far are ignored, because a grace ban begins
    /// without any.
    public var graceBan: GraceBan
    /// Who registers the grace ban, for the histories: 1 to 128 bytes.
    public var registeredBy: String

    /// Makes the request from its parts.
    public init(userId: UserID, graceBan: GraceBan, registeredBy: String) {
        self.userId = userId
        self.graceBan = graceBan
        self.registeredBy = registeredBy
    }
}

/// A game server releases a grace ban.
public struct GraceBanReleaseRequest: Codable, Sendable, Hashable {
    /// The member.
    public var userId: UserID
    /// The reason, for operators: 1 to 1000 bytes.
    public var reason: String
    /// Who releases the member, for the histories: 1 to 128 bytes.
    public var registeredBy: String

    /// Makes the request from its parts.
    public init(userId: UserID, reason: String, registeredBy: String) {
        self.userId = userId
        self.reason = reason
        self.registeredBy = registeredBy
    }
}

/// A game server reports a payment. Each payment counts once, by its id.
public struct PaymentReport: Codable, Sendable, Hashable {
    /// The member who has paid.
    public var userId: UserID
    /// 1 to 128 bytes, unique in the app.
    public var paymentId: String
    /// The amount in units of ``currency``: 0 to 1,000,000,000,000.
    public var amount: Double
    /// ISO 4217: three capital letters.
    public var currency: String

    /// Makes the report from its parts.
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

    /// Makes the response from its parts.
    public init(isNew: Bool, releasesGraceBan: Bool, graceBan: GraceBan?) {
        self.isNew = isNew
        self.releasesGraceBan = releasesGraceBan
        self.graceBan = graceBan
    }
}

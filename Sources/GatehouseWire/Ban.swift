/// How long a ban lasts. An open set.
public struct BanType: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// The ban ends at ``Ban/endDate``.
    public static let temporary = BanType("TEMPORARY")
    /// The ban ends only when it is released.
    public static let permanent = BanType("PERMANENT")
}

/// A ban as the player sees it. It comes with ``ErrorCode/bannedMember`` (7), in ``ErrorDetails/ban`` (LOGIN-10).
public struct Ban: Codable, Sendable, Hashable {
    /// The banned member.
    public var userId: UserID
    /// How long the ban lasts.
    public var banType: BanType
    /// Milliseconds since 1970, UTC.
    public var beginDate: Int64
    /// Milliseconds since 1970, UTC; absent for a permanent ban.
    public var endDate: Int64?
    /// What the player should read, in the player's language.
    public var message: String?
    /// Contact information for the player, as text.
    public var contact: String?
    /// A page where the player can contact the operator.
    public var contactUrl: String?

    /// Makes the value from its parts.
    public init(
        userId: UserID, banType: BanType, beginDate: Int64, endDate: Int64?, message: String?, contact: String?,
        contactUrl: String?
    ) {
        self.userId = userId
        self.banType = banType
        self.beginDate = beginDate
        self.endDate = endDate
        self.message = message
        self.contact = contact
        self.contactUrl = contactUrl
    }
}

/// A grace ban: the member can play until ``gracePeriodDate``, and is then banned permanently unless it has paid (BAN-4).
public struct GraceBan: Codable, Sendable, Hashable {
    /// The deadline, in milliseconds since 1970, UTC.
    public var gracePeriodDate: Int64
    /// The message for the player. On the wire it is percent-encoded, as Gamebase's is.
    public var message: String
    /// The payments since the grace ban began.
    public var paymentStatus: PaymentStatus
    /// The payments that release the ban.
    public var releaseRuleCondition: ReleaseRuleCondition

    /// Makes the value from its parts.
    public init(
        gracePeriodDate: Int64, message: String, paymentStatus: PaymentStatus,
        releaseRuleCondition: ReleaseRuleCondition
    ) {
        self.gracePeriodDate = gracePeriodDate
        self.message = message
        self.paymentStatus = paymentStatus
        self.releaseRuleCondition = releaseRuleCondition
    }

    private enum CodingKeys: String, CodingKey {
        case gracePeriodDate, message, paymentStatus, releaseRuleCondition
    }

    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let message = try container.decode(String.self, forKey: .message)
        self.init(
            gracePeriodDate: try container.decode(Int64.self, forKey: .gracePeriodDate),
            message: PathSegment.unescape(message) ?? message,
            paymentStatus: try container.decode(PaymentStatus.self, forKey: .paymentStatus),
            releaseRuleCondition: try container.decode(ReleaseRuleCondition.self, forKey: .releaseRuleCondition))
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: CodingKeys.self)
        try container.encode(gracePeriodDate, forKey: .gracePeriodDate)
        try container.encode(PathSegment.escape(message), forKey: .message)
        try container.encode(paymentStatus, forKey: .paymentStatus)
        try container.encode(releaseRuleCondition, forKey: .releaseRuleCondition)
    }
}

/// The payments towards a grace ban's release.
public struct PaymentStatus: Codable, Sendable, Hashable {
    /// The sum of the payments, in units of ``currency``.
    public var amount: Double
    /// The number of payments.
    public var count: Int
    /// ISO 4217, such as `KRW`.
    public var currency: String

    /// Makes the value from its parts.
    public init(amount: Double, count: Int, currency: String) {
        self.amount = amount
        self.count = count
        self.currency = currency
    }
}

/// The payments required for a release: an amount, a number of payments, or both.
public struct ReleaseRuleCondition: Codable, Sendable, Hashable {
    /// The sum of payments that is required, in units of ``currency``: 0 to 1,000,000,000,000. 0 asks for no sum.
    public var amount: Double
    /// The number of payments that is required: 0 to 1,000,000. 0 asks for no number.
    public var count: Int
    /// ISO 4217. Payments in another currency do not count.
    public var currency: String
    /// Whether both are required or one is enough.
    public var conditionType: ConditionType

    /// Makes the value from its parts.
    public init(amount: Double, count: Int, currency: String, conditionType: ConditionType) {
        self.amount = amount
        self.count = count
        self.currency = currency
        self.conditionType = conditionType
    }
}

/// How the parts of a condition are combined. An open set.
public struct ConditionType: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// Both parts are required.
    public static let and = ConditionType("AND")
    /// One part is enough.
    public static let or = ConditionType("OR")
}

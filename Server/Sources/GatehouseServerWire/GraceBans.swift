public import GatehouseWire

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

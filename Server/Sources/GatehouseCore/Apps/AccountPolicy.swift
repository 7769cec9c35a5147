import GatehouseProviders

/// An app's policy for its accounts. Settings that a stored policy of an older version lacks take their defaults.
public struct AccountPolicy: Codable, Sendable, Hashable {
    /// The grace period of a requested withdrawal: 1 to 30 days (WITHDRAW-2).
    public var withdrawalGraceDays = 7
    /// How long a member that lost its last identity can be restored: 1 to 365 days (MAP-6).
    public var restoreDays = 30
    /// Nil disables transfer accounts (TRANSFER-1).
    public var transfer: TransferPolicy?
    /// Whether guests may issue and redeem transfer keys (TRANSFER-8). Keys have no policy: their form is fixed, and the game
    /// determines how long they are valid.
    public var transferKeys = true
    /// Contact information for a banned player, as text.
    public var supportContact: String?
    /// A page where a banned player can contact the operator.
    public var supportURL: String?

    /// The redirects besides loopback where browsers may bring players back to the game: its URL schemes and https links, compared
    /// exactly.
    public var redirects: [String]?
    /// What happens to a member whose provider reports that the account there was deleted.
    public var signals = SignalPolicy()
    /// When a player's consent is revoked at the provider (MAP-8).
    public var consent = ConsentPolicy.withdrawal
    /// The time zone in which the days of the app's numbers begin, such as `Asia/Seoul`; nil for UTC. Days that were counted before a
    /// change stay as they are.
    public var timeZone: String?
    /// Where an operator finds a ticket, with `{ticket}` in the place of its number; nil for none.
    public var ticketURL: String?

    public init() {}

    /// Whether a redirect may be named in ``redirects``.
    package static func canRedirect(to text: String) -> Bool { RegisteredRedirect.isAllowed(text) }

    public init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: CodingKeys.self)
        let standard = AccountPolicy()
        withdrawalGraceDays =
            try container.decodeIfPresent(Int.self, forKey: .withdrawalGraceDays) ?? standard.withdrawalGraceDays
        restoreDays = try container.decodeIfPresent(Int.self, forKey: .restoreDays) ?? standard.restoreDays
        transfer = try container.decodeIfPresent(TransferPolicy.self, forKey: .transfer)
        transferKeys = try container.decodeIfPresent(Bool.self, forKey: .transferKeys) ?? standard.transferKeys
        supportContact = try container.decodeIfPresent(String.self, forKey: .supportContact)
        supportURL = try container.decodeIfPresent(String.self, forKey: .supportURL)
        redirects = try container.decodeIfPresent([String].self, forKey: .redirects)
        signals = try container.decodeIfPresent(SignalPolicy.self, forKey: .signals) ?? standard.signals
        consent = try container.decodeIfPresent(ConsentPolicy.self, forKey: .consent) ?? standard.consent
        timeZone = try container.decodeIfPresent(String.self, forKey: .timeZone)
        ticketURL = try container.decodeIfPresent(String.self, forKey: .ticketURL)
    }

    private enum CodingKeys: String, CodingKey {
        case withdrawalGraceDays, restoreDays, transfer, transferKeys, supportContact, supportURL, redirects, signals
        case consent, timeZone, ticketURL
    }
}

import GatehouseWire

/// How an app treats its accounts. What a stored policy of an older version lacks takes its default.
public struct AccountPolicy: Codable, Sendable, Hashable {
    /// How long a requested withdrawal waits: 1 to 30 days (WITHDRAW-2).
    public var withdrawalGraceDays = 7
    /// How long a member that lost its last identity can be restored: 1 to 365 days (MAP-6).
    public var restoreDays = 30
    /// None switches transfer accounts off (TRANSFER-1).
    public var transfer: TransferPolicy?
    /// Whether guests may issue and redeem transfer keys (TRANSFER-8). They have no policy: a key is as it is, and the game says how
    /// long it is valid.
    public var transferKeys = true
    /// Where a banned player can ask, in words.
    public var supportContact: String?
    /// Where a banned player can ask, as a page.
    public var supportURL: String?

    /// Where browsers may bring players back to the game, beside loopback: schemes of its own and https links, letter for
    /// letter.
    public var redirects: [String]?
    /// What becomes of a member whose provider reports that its account there is gone.
    public var signals = SignalPolicy()
    /// When the consent of a player is revoked at the provider (MAP-8).
    public var consent = ConsentPolicy.withdrawal

    public init() {}

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
    }

    private enum CodingKeys: String, CodingKey {
        case withdrawalGraceDays, restoreDays, transfer, transferKeys, supportContact, supportURL, redirects, signals
        case consent
    }
}

/// What transfer accounts of an app are like (TRANSFER-5).
public struct TransferPolicy: Codable, Sendable, Hashable {
    /// The letters of an id or a password, with the shortest length that makes guessing hopeless (Gamebase's console).
    public enum Alphabet: String, Codable, Sendable, Hashable, CaseIterable {
        case digits
        case digitsAndLower = "digits-lower"
        case digitsAndUpper = "digits-upper"
        case digitsLowerAndUpper = "digits-lower-upper"
        case lowerAndUpper = "lower-upper"

        public var minimumLength: Int {
            switch self {
            case .digits: 12
            case .digitsAndLower, .digitsAndUpper: 10
            case .digitsLowerAndUpper, .lowerAndUpper: 9
            }
        }

        /// The letters in words, as players are told of them.
        var words: String {
            switch self {
            case .digits: "digits"
            case .digitsAndLower: "digits and lower-case letters"
            case .digitsAndUpper: "digits and upper-case letters"
            case .digitsLowerAndUpper: "digits, lower-case and upper-case letters"
            case .lowerAndUpper: "lower-case and upper-case letters"
            }
        }

        /// The sets of which a text has at least one letter each, and no others.
        var sets: [[UInt8]] {
            let digits = Array("0123456789".utf8)
            let lower = Array("abcdefghijklmnopqrstuvwxyz".utf8)
            let upper = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZ".utf8)
            return switch self {
            case .digits: [digits]
            case .digitsAndLower: [digits, lower]
            case .digitsAndUpper: [digits, upper]
            case .digitsLowerAndUpper: [digits, lower, upper]
            case .lowerAndUpper: [lower, upper]
            }
        }
    }

    /// What an id or a password is made of.
    public struct Form: Codable, Sendable, Hashable {
        public var alphabet: Alphabet
        /// Up to 64.
        public var length: Int

        public init(_ alphabet: Alphabet, length: Int) {
            self.alphabet = alphabet
            self.length = length
        }
    }

    public var id = Form(.digits, length: 12)
    public var password = Form(.digitsLowerAndUpper, length: 10)
    public var isSingleUse = true
    /// None for transfer accounts without an end.
    public var lifetimeSeconds: Int64? = 30 * 86_400
    /// Wrong attempts in a row before the block, of one account and of one device: 1 to 99.
    public var attempts = 5
    /// Of the block.
    public var blockSeconds: Int64 = 3_600

    public init() {}
}

import GatehouseProviders
package import GatehouseSecurity
import GatehouseWire

/// An app's policy for its accounts. Settings that a stored policy of an older version lacks take their defaults.
public struct AccountPolicy: Codable, Sendable, Hashable {
    /// The grace period of a requested withdrawal, within ``withdrawalGraceRange`` (WITHDRAW-2).
    public var withdrawalGraceDays = 7
    package static let withdrawalGraceRange = 1...30
    /// How long a member that lost its last identity can be restored, within ``restoreRange`` (MAP-6).
    public var restoreDays = 30
    package static let restoreRange = 1...365
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
    static let maximumRedirects = 32
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

    /// - Throws: 3 for a value out of its range.
    func check() throws {
        let (grace, restore) = (Self.withdrawalGraceRange, Self.restoreRange)
        guard grace.contains(withdrawalGraceDays) else {
            throw Refusal.parameter(
                "withdrawalGraceDays", "A withdrawal waits \(grace.lowerBound) to \(grace.upperBound) days.")
        }
        guard restore.contains(restoreDays) else {
            throw Refusal.parameter(
                "restoreDays", "A member can be restored for \(restore.lowerBound) to \(restore.upperBound) days.")
        }
        guard (redirects ?? []).allSatisfy(RegisteredRedirect.isAllowed), redirects?.count ?? 0 <= Self.maximumRedirects
        else {
            throw Refusal.parameter(
                "redirects", "A redirect is a scheme of the game's own, such as mygame://login, or an https link.")
        }
        guard timeZone.map(AppZone.exists) ?? true else {
            throw Refusal.parameter("timeZone", "A time zone is a name such as Asia/Seoul.")
        }
        try transfer?.check()
    }
}

/// The properties of an app's transfer accounts (TRANSFER-5).
public struct TransferPolicy: Codable, Sendable, Hashable {
    /// The characters of an id or a password, each with the minimum length that makes guessing infeasible (Gamebase's console).
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

        /// A description of the characters for players.
        var words: String {
            switch self {
            case .digits: "digits"
            case .digitsAndLower: "digits and lower-case letters"
            case .digitsAndUpper: "digits and upper-case letters"
            case .digitsLowerAndUpper: "digits, lower-case and upper-case letters"
            case .lowerAndUpper: "lower-case and upper-case letters"
            }
        }

        /// How many different characters there are.
        package var count: Int { sets.reduce(0) { $0 + $1.count } }

        /// The character sets: a text has at least one character of each, and no others.
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

    /// The form of an id or a password.
    public struct Form: Codable, Sendable, Hashable {
        public var alphabet: Alphabet
        public var length: Int
        /// Upper bound on the length, also of what a player chooses.
        package static let maximumLength = 64
        /// From the length at which guessing is infeasible to the upper bound.
        package var lengths: ClosedRange<Int> { alphabet.minimumLength...Self.maximumLength }

        public init(_ alphabet: Alphabet, length: Int) {
            self.alphabet = alphabet
            self.length = length
        }

        /// A text as one that the server makes.
        package func example(random: RandomSource) -> String { TransferCodeGenerator.generate(self, random: random) }
    }

    public var id = Form(.digits, length: 12)
    public var password = Form(.digitsLowerAndUpper, length: 10)
    public var isSingleUse = true
    /// Nil for transfer accounts that don't expire.
    public var lifetimeSeconds: Int64? = 30 * 86_400
    package static let lifetimeRange: ClosedRange<Int64> = 60...3_650 * 86_400
    /// The consecutive wrong attempts that cause a block, for one account and for one device, within ``attemptRange``.
    public var attempts = 5
    package static let attemptRange = 1...99
    /// The duration of the block: up to a year.
    public var blockSeconds: Int64 = 3_600
    package static let blockRange: ClosedRange<Int64> = 1...365 * 86_400

    /// What a form and the command take for the lifetime, in days; 0 for ever.
    package static let dayRange = 0...Int(lifetimeRange.upperBound / 86_400)
    /// What a form and the command take for the block, in minutes.
    package static let blockMinuteRange = 1...Int(blockRange.upperBound / 60)

    public init() {}

    /// - Throws: 3 for a value out of its range.
    fileprivate func check() throws {
        for (name, form) in [("id", id), ("password", password)] where !form.lengths.contains(form.length) {
            throw Refusal.parameter(
                name,
                "Of these letters, a transfer \(name) has \(form.lengths.lowerBound) to \(form.lengths.upperBound).")
        }
        let range = Self.attemptRange
        guard range.contains(attempts), Self.blockRange.contains(blockSeconds),
            lifetimeSeconds.map(Self.lifetimeRange.contains) ?? true
        else {
            throw Refusal.parameter(
                "transfer",
                """
                A policy allows \(range.lowerBound) to \(range.upperBound) attempts, blocks for up to a year, and has a lifetime of \
                at least a minute.
                """
            )
        }
    }
}

/// An app's limits on its callers; 0 means no limit. A carrier may put a whole city behind one address, so the defaults stop a flood
/// but not a launch day.
public struct AppLimits: Sendable, Hashable {
    /// New guests per minute from one address.
    public var newGuestsPerMinute = 30_000
    /// Refused proofs and refused credentials per minute from one address.
    public var refusedProofsPerMinute = 3_000
    /// Changing calls per minute, for one device and for one member.
    public var changesPerMinute = 120
    /// Concurrent sessions of one member. A further session ends the oldest.
    public var liveSessions = 100
    /// Wrong transfer passwords and keys per hour, over all addresses, devices and nodes.
    public var wrongTransfersPerHour = 3_000

    public init() {}

    /// The limits on transfer attempts, which are rare. They are unlimited when `refusedProofsPerMinute` is 0, as on a developer's
    /// machine; ``wrongTransfersPerHour`` still applies.
    var transfers: (perAddress: Int, perDevice: Int) {
        refusedProofsPerMinute == 0 ? (0, 0) : (max(60, refusedProofsPerMinute / 10), 20)
    }

    /// The limits on credentials that an identity provider has refused.
    var refusedCredentials: (perAddress: Int, perDevice: Int) {
        refusedProofsPerMinute == 0 ? (0, 0) : (refusedProofsPerMinute, min(60, refusedProofsPerMinute))
    }

    static let range = 0...1_000_000_000

    /// - Throws: 3 for a value out of its range.
    func check() throws {
        guard Setting.allCases.allSatisfy({ Self.range.contains(self[$0]) }) else {
            throw Refusal.parameter("limits", "A limit is a number from 1 to 1000000000, 0 for none.")
        }
    }

    /// One of the limits. Its raw value is the name of its setting.
    enum Setting: String, CaseIterable {
        case newGuestsPerMinute, refusedProofsPerMinute, changesPerMinute, liveSessions, wrongTransfersPerHour

        fileprivate var path: WritableKeyPath<AppLimits, Int> {
            switch self {
            case .newGuestsPerMinute: \.newGuestsPerMinute
            case .refusedProofsPerMinute: \.refusedProofsPerMinute
            case .changesPerMinute: \.changesPerMinute
            case .liveSessions: \.liveSessions
            case .wrongTransfersPerHour: \.wrongTransfersPerHour
            }
        }
    }

    subscript(setting: Setting) -> Int {
        get { self[keyPath: setting.path] }
        set { self[keyPath: setting.path] = newValue }
    }
}

/// When a person's consent is revoked at a provider (MAP-8).
public enum ConsentPolicy: String, Codable, Sendable, Hashable, CaseIterable {
    /// When the member withdraws, as Apple requires of a game.
    case withdrawal
    /// When the member withdraws, and when the mapping is removed.
    case removal
    /// Never, if the provider's terms allow that.
    case never

    /// Whether to revoke, according to the setting and to the requirements of the provider's terms.
    func revokes(at end: ConsentEnd, _ kind: ProviderKind) -> Bool {
        ends.union(kind.description.requiredRevocations).contains(end)
    }

    private var ends: Set<ConsentEnd> {
        switch self {
        case .withdrawal: [.withdrawal]
        case .removal: [.withdrawal, .removal]
        case .never: []
        }
    }
}

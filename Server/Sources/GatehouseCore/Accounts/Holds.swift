import GatehouseJSON
public import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// What holds a member: its restrictions and its pending deadlines. This is what the core knows of bans outside of their feature;
/// ``HoldRules`` says it to players.
struct Holds: Sendable, Hashable {
    /// The end of the grace period of a pending withdrawal.
    var withdrawsAt: Moment?
    var ban: Hold?
    var graceBan: Hold?
    /// The end of the time during which a member without identities can be restored.
    var restorableUntil: Moment?

    struct Hold: Sendable, Hashable {
        let id: String
        /// Nil if it doesn't end.
        let endsAt: Moment?
    }

    /// The status of a member that is neither withdrawn nor missing.
    var status: MemberStatus {
        if ban != nil { return .banned }
        if withdrawsAt != nil { return .pendingWithdrawal }
        return graceBan == nil ? .normal : .graceBanned
    }

    /// The next deadline at which a member of this status changes. Nothing happens to one that is gone but the end of its restore window.
    func dueAt(as status: MemberStatus) -> Moment? {
        guard !status.isGone else { return restorableUntil }
        return [withdrawsAt, ban?.endsAt, graceBan?.endsAt, restorableUntil].compactMap { $0 }.min()
    }
}

/// What a held member's player is told (LOGIN-10, BAN-4).
enum HoldRules {
    /// The refusal of a banned member, with the ban (LOGIN-10).
    static func refusal(
        of account: Account, code: ErrorCode = .bannedMember, reason: ErrorReason? = nil, _ context: CallContext,
        in tx: Reader
    ) throws -> Refusal {
        // For a login with the last provider the code is changed, so that it reports the ban and not invalid tokens.
        let code = code == .authTokenLoginInvalidTokenInfo ? .bannedMember : code
        let ban = try ban(of: account, context, in: tx)
        let standing = StandingRules.standing(ofBanned: ban, status: LaunchingRules.statusForEveryone(context), context)
        return Refusal(
            code, ban.message, reason: reason, details: ErrorDetails(standing: standing, ban: ban),
            httpStatus: code == .bannedMember ? nil : 401, audit: "login.banned")
    }

    /// The ban of a banned member, in the player's language.
    static func ban(of account: Account, _ context: CallContext, in tx: Reader) throws -> Ban {
        let record = try account.holds.ban.flatMap { try HoldQueries.ban($0.id, app: account.app, in: tx) }
        var message = context.text(record?.message)
        if message == nil, let code = record?.templateCode {
            message = context.text(try HoldQueries.banTemplate(code, app: account.app, in: tx)?.texts)
        }
        if message == nil { message = try graceBan(of: account, in: tx)?.message }
        return Ban(
            userId: account.user, banType: record?.type ?? .permanent,
            beginDate: (record?.beginsAt ?? account.holds.graceBan?.endsAt ?? context.moment).milliseconds,
            endDate: record?.endsAt?.milliseconds, message: message ?? context.text(StandingRules.text(of: .banned)),
            contact: context.app.policy.supportContact, contactUrl: context.app.policy.supportURL)
    }

    /// The grace ban of a member that has one, with what was paid.
    static func graceBan(of account: Account, in tx: Reader) throws -> GraceBan? {
        try account.holds.graceBan.flatMap { try HoldQueries.graceBan($0.id, app: account.app, in: tx)?.graceBan }
    }
}

/// A ban for operators.
public struct BanRecord: Sendable, Hashable {
    public let id: String
    public let user: UserID
    public let type: BanType
    public let beginsAt: Moment
    public let endsAt: Moment?
    public let templateCode: Int?
    let message: LocalizedText?
    public let reason: String
    public let flags: String?
    /// `CONSOLE`, `APP_SERVER` or `SYSTEM`.
    public let caller: String
    public let registeredBy: String
    public let release: Release?

    public struct Release: Sendable, Hashable {
        public let at: Moment
        public let caller: String
        public let reason: String
        public let by: String
    }
}

/// The texts for banned players, by language.
package struct BanTemplate: Sendable, Hashable {
    package let code: Int
    package let name: String
    package let texts: LocalizedText
    /// Whether no new ban can have it. Those of before still show its text.
    package var isArchived = false
}

/// A grace ban with what was paid of it. Amounts are whole numbers of ten-thousandths, so that sums are exact.
struct GraceBanProgress: Sendable {
    private static let amountScale = 10_000.0
    private static let largestAmount = 1_000_000_000_000.0

    let message: String
    let endsAt: Moment
    let requiredAmount: Int64
    let requiredCount: Int
    let currency: String
    let conditionType: ConditionType
    var paidAmount: Int64
    var paidCount: Int

    /// Only the parts that are required count.
    var isMet: Bool {
        let parts = [
            requiredAmount > 0 ? paidAmount >= requiredAmount : nil,
            requiredCount > 0 ? paidCount >= requiredCount : nil,
        ].compactMap { $0 }
        return conditionType == .or ? parts.contains(true) : !parts.contains(false)
    }

    var graceBan: GraceBan {
        GraceBan(
            gracePeriodDate: endsAt.milliseconds, message: message,
            paymentStatus: PaymentStatus(
                amount: Double(paidAmount) / Self.amountScale, count: paidCount, currency: currency),
            releaseRuleCondition: ReleaseRuleCondition(
                amount: Double(requiredAmount) / Self.amountScale, count: requiredCount,
                currency: currency,
                conditionType: conditionType))
    }

    /// An amount of the contract as it is stored.
    static func units(_ amount: Double) throws -> Int64 {
        guard amount.isFinite, (0...largestAmount).contains(amount) else {
            throw Refusal.parameter("amount", "An amount is a number from 0 to \(Int64(largestAmount)).")
        }
        return Int64((amount * amountScale).rounded())
    }
}

/// Reads a single row of what holds a member, of tables `bans`, `ban_templates` and `grace_bans`. Who changes and lists them is the
/// feature.
enum HoldQueries {
    static func ban(_ id: String, app: AppID, in tx: Reader) throws -> BanRecord? {
        try tx.first("SELECT \(banColumns) FROM bans b WHERE b.ban_id = \(id) AND b.app_id = \(app)", ban)
    }

    static let banColumns: SQL = """
        b.ban_id, b.user_id, b.ban_type, b.begins_at, b.ends_at, b.template_code, b.message, b.reason, b.flags, b.caller,
        b.registered_by, b.released_at, b.release_caller, b.release_reason, b.released_by
        """

    static func ban(_ row: Row) throws -> BanRecord {
        let message: String? = try row[6]
        let releasedAt: Moment? = try row[11]
        return BanRecord(
            id: try row[0], user: try row[1], type: try row[2], beginsAt: try row[3], endsAt: try row[4],
            templateCode: try row[5], message: try message.map(JSONText.read), reason: try row[7], flags: try row[8],
            caller: try row[9], registeredBy: try row[10],
            release: try releasedAt.map { .init(at: $0, caller: try row[12], reason: try row[13], by: try row[14]) })
    }

    static func banTemplate(_ code: Int, app: AppID, in tx: Reader) throws -> BanTemplate? {
        try tx.first(
            "SELECT \(templateColumns) FROM ban_templates WHERE app_id = \(app) AND code = \(code)", template)
    }

    static let templateColumns: SQL = "code, name, texts, is_archived"

    static func template(_ row: Row) throws -> BanTemplate {
        var columns = row.columns
        return BanTemplate(
            code: try columns.next(), name: try columns.next(), texts: try JSONText.read(try columns.next()),
            isArchived: try columns.next())
    }

    static func graceBan(_ id: String, app: AppID, in tx: Reader) throws -> GraceBanProgress? {
        try tx.first(
            "SELECT \(graceBanColumns) FROM grace_bans g WHERE g.grace_ban_id = \(id) AND g.app_id = \(app)", graceBan)
    }

    static let graceBanColumns: SQL = """
        g.message, g.ends_at, g.required_amount, g.required_count, g.currency, g.condition_type, g.paid_amount, g.paid_count
        """

    static func graceBan(_ row: Row) throws -> GraceBanProgress {
        GraceBanProgress(
            message: try row[0], endsAt: try row[1], requiredAmount: try row[2], requiredCount: try row[3],
            currency: try row[4], conditionType: try row[5], paidAmount: try row[6], paidCount: try row[7])
    }
}

import GatehousePlatform
public import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
public import GatehouseWire

/// Grace bans: members can play until a deadline, and are then banned permanently unless they have paid (BAN-4).
enum GraceBanRules {
    static func register(
        _ graceBan: GraceBan, of user: UserID, _ change: Change, in tx: Transaction
    ) throws -> GraceBan {
        var graceBan = graceBan
        try check(graceBan, at: change.moment)
        try change.origin.requireName()
        try requireReasonOfOperator(change)
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard !account.isGone else { throw Refusal(.authNotExistMember) }
        guard account.holds.ban == nil else { throw Refusal(.bannedMember, "The member is banned already.") }
        guard account.holds.graceBan == nil else {
            throw Refusal.parameter("userId", "The member has a grace ban already: release it first.")
        }
        // Earlier payments do not count.
        let currency = graceBan.releaseRuleCondition.currency
        graceBan.paymentStatus = PaymentStatus(amount: 0, count: 0, currency: currency)
        let id = TimeOrderedID.session(at: change.moment, random: change.random).rawValue
        try GraceBanQueries.insert(id, user: account.user, graceBan, change, in: tx)
        let end = Moment(milliseconds: graceBan.gracePeriodDate)
        try MemberRules.update(account, in: tx) { $0.graceBan = .init(id: id, endsAt: end) }
        try change.record(.graceBanned(id: id, end: end), of: account.user, in: tx)
        return graceBan
    }

    private static func check(_ graceBan: GraceBan, at moment: Moment) throws {
        guard moment.milliseconds < graceBan.gracePeriodDate else {
            throw Refusal.parameter("gracePeriodDate", "The deadline lies ahead.")
        }
        guard (1...2_000).contains(graceBan.message.utf8.count) else {
            throw Refusal.parameter("message", "A message has 1 to 2000 bytes.")
        }
        let condition = graceBan.releaseRuleCondition
        guard [.and, .or].contains(condition.conditionType) else {
            throw Refusal.parameter("conditionType", "A condition's type is AND or OR.")
        }
        guard (0...1_000_000).contains(condition.count) else {
            throw Refusal.parameter("count", "A number of payments is 0 to 1000000.")
        }
        _ = try GraceBanProgress.units(condition.amount)
        guard condition.count > 0 || condition.amount > 0 else {
            throw Refusal.parameter("releaseRuleCondition", "A condition asks for an amount or a number of payments.")
        }
        try checkCurrency(condition.currency)
    }

    private static func checkCurrency(_ currency: String) throws {
        guard isCurrency(currency) else {
            throw Refusal.parameter("currency", "A currency is named by ISO 4217, such as KRW.")
        }
    }

    static func isCurrency(_ text: String) -> Bool { text.utf8.count == 3 && text.utf8.allSatisfy(ASCII.isUppercase) }

    // MARK: What operators see before a change

    /// Why a member can't get a grace ban; nil if it can.
    static func obstacle(to user: UserID, _ context: OperatorContext, in tx: Reader) throws -> Phrase? {
        switch try BanFinding(of: user, context, in: tx) {
        case .unknown: "problem.no-member"
        case .gone: "problem.gone"
        case .banned: "problem.banned-already"
        case .free:
            try HoldRules.graceBan(of: context.account(of: user, in: tx), in: tx) == nil ? nil : "problem.grace-already"
        }
    }

    /// The member's grace ban.
    ///
    /// - Throws: ``ImpossibleAction`` if it has none.
    static func open(of user: UserID, _ context: OperatorContext, in tx: Reader) throws -> GraceBan {
        guard let open = try HoldRules.graceBan(of: context.account(of: user, in: tx), in: tx) else {
            throw ImpossibleAction(phrase: "problem.no-grace", parameter: "user")
        }
        return open
    }

    // MARK: Changes

    /// Counts a payment towards the member's grace ban, once for each payment id. Meeting the condition releases the grace ban.
    static func pay(_ report: PaymentReport, _ change: Change, in tx: Transaction) throws -> PaymentOutcome {
        guard (1...128).contains(report.paymentId.utf8.count) else {
            throw Refusal.parameter("paymentId", "The payment's id must have 1 to 128 bytes.")
        }
        try checkCurrency(report.currency)
        let amount = try GraceBanProgress.units(report.amount)
        let account = try MemberRules.take(report.userId, app: change.app.id, at: change.moment, in: tx)
        guard account.status != .withdrawn else { throw Refusal(.authNotExistMember) }
        let isNew = try GraceBanQueries.insertPayment(
            report.paymentId, user: report.userId, amount: amount, currency: report.currency, change, in: tx)
        if isNew { try change.record(.paymentReported, of: report.userId, in: tx) }
        guard let id = account.holds.graceBan?.id,
            let record = try HoldQueries.graceBan(id, app: account.app, in: tx)
        else {
            return PaymentOutcome(isNew: isNew, releasesGraceBan: false, graceBan: nil)
        }
        guard isNew, report.currency == record.currency else {
            return PaymentOutcome(isNew: isNew, releasesGraceBan: false, graceBan: record.graceBan)
        }
        var paid = record
        paid.paidAmount = min(record.paidAmount + amount, .max / 2)
        paid.paidCount = record.paidCount + 1
        try GraceBanQueries.setPaid(id, app: account.app, amount: paid.paidAmount, count: paid.paidCount, in: tx)
        guard paid.isMet else {
            return PaymentOutcome(isNew: true, releasesGraceBan: false, graceBan: paid.graceBan)
        }
        try end(account, id: id, outcome: "released", change, in: tx)
        return PaymentOutcome(isNew: true, releasesGraceBan: true, graceBan: nil)
    }

    /// An operator must give a reason. Game servers' calls have none, as in Gamebase.
    private static func requireReasonOfOperator(_ change: Change) throws {
        if change.origin.actor == .operator { try change.origin.requireReason() }
    }

    static func release(_ user: UserID, _ change: Change, in tx: Transaction) throws {
        try requireReasonOfOperator(change)
        let account = try MemberRules.take(user, app: change.app.id, at: change.moment, in: tx)
        guard let id = account.holds.graceBan?.id else {
            throw Refusal.parameter("userId", "The member has no grace ban.")
        }
        try end(account, id: id, outcome: "released", change, in: tx)
    }

    private static func end(
        _ account: Account, id: String, outcome: String, _ change: Change, in tx: Draft
    ) throws {
        try GraceBanQueries.end(id, app: account.app, outcome: outcome, at: change.moment, in: tx)
        try MemberRules.update(account, in: tx) { $0.graceBan = nil }
        try change.record(.graceBanReleased(id: id), of: account.user, in: tx)
    }

    /// The deadline has passed without the condition being met, so the member is banned permanently.
    static func lapse(_ account: Account, _ change: Change, in tx: Draft) throws {
        guard let hold = account.holds.graceBan, let graceBan = try HoldRules.graceBan(of: account, in: tx) else {
            return
        }
        let input = try BanRules.Input(
            type: .permanent, endsAt: nil, templateCode: nil,
            message: LocalizedText([change.app.defaultLanguage: graceBan.message]), at: change.moment)
        var change = change
        change.origin.reason = "grace ban \(hold.id): the deadline has passed"
        try BanRules.begin(account, input, change, in: tx)
    }
}

/// A grace ban for operators, with the member's progress.
public struct GraceBanRecord: Sendable, Hashable {
    public let id: String
    public let user: UserID
    public let graceBan: GraceBan
    public let beginsAt: Moment
    public let registeredBy: String
    /// `released` or `banned`; nil while it is in effect, and if the member no longer exists.
    public let outcome: String?
    public let endedAt: Moment?
    /// Whether it is in effect now.
    public let isOpen: Bool
}

/// Tables `grace_bans` and `payments`. One grace ban is read by ``HoldQueries``.
enum GraceBanQueries {
    static func insert(
        _ id: String, user: UserID, _ graceBan: GraceBan, _ change: Change, in tx: Draft
    ) throws {
        let condition = graceBan.releaseRuleCondition
        try tx.insert(
            into: "grace_bans",
            [
                "grace_ban_id": id, "app_id": change.app.id, "user_id": user, "message": graceBan.message,
                "begins_at": change.moment, "ends_at": graceBan.gracePeriodDate,
                "required_amount": try GraceBanProgress.units(condition.amount), "required_count": condition.count,
                "currency": condition.currency, "condition_type": condition.conditionType, "paid_amount": 0,
                "paid_count": 0, "registered_by": change.origin.name ?? "",
            ])
    }

    /// Grace bans that began before a moment, newest first. An id begins with that time.
    ///
    /// - Parameters:
    ///   - user: only those of this member.
    ///   - isOpen: only those that are in effect now.
    ///   - last: the last one of the page before.
    static func graceBans(
        of app: AppID, user: UserID?, isOpen: Bool, before end: Moment, after last: String? = nil, limit: Int,
        in tx: Reader
    ) throws -> [GraceBanRecord] {
        let member: SQL = if let user { "AND g.user_id = \(user)" } else { "" }
        let rest: SQL = if let last { "AND g.grace_ban_id < \(last)" } else { "" }
        let open: SQL = isOpen ? "AND g.outcome IS NULL AND m.grace_ban_id = g.grace_ban_id" : ""
        let columns = HoldQueries.graceBanColumns
        return try tx.rows(
            """
            SELECT \(columns), g.grace_ban_id, g.user_id, g.begins_at, g.registered_by, g.outcome, g.ended_at, m.grace_ban_id
            FROM grace_bans g JOIN members m ON m.app_id = g.app_id AND m.user_id = g.user_id
            WHERE g.app_id = \(app) AND g.grace_ban_id < \(TimeOrderedID.firstSession(at: end)) \(member) \(open) \(rest)
            ORDER BY g.grace_ban_id DESC LIMIT \(limit)
            """
        ) { row in
            let id: String = try row[8]
            let standing: String? = try row[14]
            return GraceBanRecord(
                id: id, user: try row[9], graceBan: try HoldQueries.graceBan(row).graceBan, beginsAt: try row[10],
                registeredBy: try row[11], outcome: try row[12], endedAt: try row[13], isOpen: standing == id)
        }
    }

    static func setPaid(_ id: String, app: AppID, amount: Int64, count: Int, in tx: Draft) throws {
        try tx.update(
            "grace_bans", set: "paid_amount = \(amount), paid_count = \(count)",
            where: ["grace_ban_id": id, "app_id": app])
    }

    static func end(_ id: String, app: AppID, outcome: String, at moment: Moment, in tx: Draft) throws {
        try tx.update(
            "grace_bans", set: "outcome = \(outcome), ended_at = \(moment)",
            where: ["grace_ban_id": id, "app_id": app])
    }

    /// False when the payment was reported before.
    static func insertPayment(
        _ id: String, user: UserID, amount: Int64, currency: String, _ change: Change, in tx: Transaction
    ) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO payments (payment_id, app_id, user_id, amount, currency, reported_at)
            VALUES (\(id), \(change.app.id), \(user), \(amount), \(currency), \(change.moment))
            ON CONFLICT (payment_id, app_id) DO NOTHING
            """) == 1
    }
}

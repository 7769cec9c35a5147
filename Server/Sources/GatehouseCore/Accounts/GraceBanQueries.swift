import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Tables `grace_bans` and `payments`.
enum GraceBanQueries {
    struct Record: Sendable {
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
                    amount: Double(paidAmount) / GraceBanRules.amountScale, count: paidCount, currency: currency),
                releaseRuleCondition: ReleaseRuleCondition(
                    amount: Double(requiredAmount) / GraceBanRules.amountScale, count: requiredCount,
                    currency: currency,
                    conditionType: conditionType))
        }
    }

    static func insert(
        _ id: String, user: UserID, _ graceBan: GraceBan, _ change: Change, in tx: Draft
    ) throws {
        let condition = graceBan.releaseRuleCondition
        try tx.insert(
            into: "grace_bans",
            [
                "grace_ban_id": id, "app_id": change.app.id, "user_id": user, "message": graceBan.message,
                "begins_at": change.moment, "ends_at": graceBan.gracePeriodDate,
                "required_amount": try GraceBanRules.units(condition.amount), "required_count": condition.count,
                "currency": condition.currency, "condition_type": condition.conditionType, "paid_amount": 0,
                "paid_count": 0, "registered_by": change.origin.name ?? "",
            ])
    }

    private static let columns: SQL = """
        g.message, g.ends_at, g.required_amount, g.required_count, g.currency, g.condition_type, g.paid_amount, g.paid_count
        """

    static func graceBan(_ id: String, app: AppID, in tx: Reader) throws -> Record? {
        try tx.first(
            "SELECT \(columns) FROM grace_bans g WHERE g.grace_ban_id = \(id) AND g.app_id = \(app)", record)
    }

    private static func record(_ row: Row) throws -> Record {
        Record(
            message: try row[0], endsAt: try row[1], requiredAmount: try row[2], requiredCount: try row[3],
            currency: try row[4], conditionType: try row[5], paidAmount: try row[6], paidCount: try row[7])
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
                id: id, user: try row[9], graceBan: try record(row).graceBan, beginsAt: try row[10],
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

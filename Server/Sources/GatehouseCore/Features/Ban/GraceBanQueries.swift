import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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

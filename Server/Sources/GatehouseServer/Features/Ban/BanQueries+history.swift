import GatehouseStorage
import GatehouseWire

extension BanQueries {
    static func begun(
        in period: Period, _ page: Page, app: AppID, in tx: Transaction
    ) throws -> (total: Int, bans: [BanRecord]) {
        // A ban's id begins with its time.
        let last = Moment(milliseconds: period.end.milliseconds.addingReportingOverflow(1).partialValue)
        let condition: SQL = """
            b.ban_id >= \(TimeOrderedID.firstSession(at: period.begin)) AND b.ban_id < \(TimeOrderedID.firstSession(at: last))
                AND b.app_id = \(app)
            """
        return try list("bans b WHERE \(condition)", "b.ban_id", page, in: tx)
    }

    static func released(
        in period: Period, _ page: Page, app: AppID, in tx: Transaction
    ) throws -> (total: Int, bans: [BanRecord]) {
        let condition: SQL = """
            b.released_at IS NOT NULL AND b.released_at >= \(period.begin) AND b.released_at <= \(period.end)
                AND b.app_id = \(app)
            """
        return try list("bans b WHERE \(condition)", "b.released_at", page, in: tx)
    }

    static func current(
        at moment: Moment, _ page: Page, app: AppID, in tx: Transaction
    ) throws -> (total: Int, bans: [BanRecord]) {
        let condition: SQL = """
            m.ban_id IS NOT NULL AND m.app_id = \(app) AND (m.ban_ends_at IS NULL OR m.ban_ends_at > \(moment))
            """
        return try list("members m JOIN bans b ON b.ban_id = m.ban_id WHERE \(condition)", "b.ban_id", page, in: tx)
    }

    private static func list(
        _ source: SQL, _ key: SQL, _ page: Page, in tx: Transaction
    ) throws -> (total: Int, bans: [BanRecord]) {
        let total = try tx.first("SELECT COUNT(*) FROM \(source)") { row in try row[0] as Int } ?? 0
        let order: SQL = page.isDescending ? "\(key) DESC, b.ban_id DESC" : "\(key), b.ban_id"
        let bans = try tx.rows(
            """
            SELECT \(columns) FROM \(source) ORDER BY \(order) LIMIT \(page.size) OFFSET \(page.offset)
            """, record)
        return (total, bans)
    }
}

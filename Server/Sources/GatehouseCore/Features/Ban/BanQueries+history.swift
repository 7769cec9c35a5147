import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension BanQueries {
    static func begun(
        in period: Period, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        // A ban's id begins with its time, so it can be compared with the period.
        try tx.page(
            page, HoldQueries.banColumns, from: "bans b WHERE \(period.holds("b.ban_id")) AND b.app_id = \(app)",
            orderedBy: "b.ban_id",
            decode: HoldQueries.ban)
    }

    static func released(
        in period: Period, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        let source: SQL = """
            bans b WHERE b.released_at IS NOT NULL AND b.released_at >= \(period.begin) AND b.released_at <= \(period.end)
                AND b.app_id = \(app)
            """
        return try tx.page(
            page, HoldQueries.banColumns, from: source, orderedBy: "b.released_at", "b.ban_id", decode: HoldQueries.ban)
    }

    static func current(
        at moment: Moment, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        let source: SQL = """
            members m JOIN bans b ON b.ban_id = m.ban_id AND b.app_id = m.app_id
            WHERE \(isBanned) AND m.app_id = \(app) AND (m.ban_ends_at IS NULL OR m.ban_ends_at > \(moment))
            """
        return try tx.page(page, HoldQueries.banColumns, from: source, orderedBy: "b.ban_id", decode: HoldQueries.ban)
    }

    /// Whether a member `m` has a ban. It is a range, because SQLite would look through all members of the app by the key of their table
    /// rather than join by an index on what is not null.
    private static let isBanned: SQL = "m.ban_id > ''"
}

// The console's lists go on after the last key.
extension BanQueries {
    /// Bans in any state, newest first.
    ///
    /// - Parameter last: the last ban of the page before.
    static func bans(of app: AppID, before last: String?, limit: Int, in tx: Reader) throws -> [BanRecord] {
        let rest: SQL = if let last { "AND b.ban_id < \(last)" } else { "" }
        return try tx.rows(
            """
            SELECT \(HoldQueries.banColumns) FROM bans b WHERE b.app_id = \(app) \(rest)
            ORDER BY b.ban_id DESC LIMIT \(limit)
            """, HoldQueries.ban)
    }

    /// Bans that are in effect now, newest first.
    static func inForce(
        at moment: Moment, app: AppID, before last: String?, limit: Int, in tx: Reader
    ) throws -> [BanRecord] {
        try tx.rows(
            """
            SELECT \(HoldQueries.banColumns) FROM \(newestInForce(at: moment, app: app, before: last, limit: limit))
            JOIN bans b ON b.ban_id = m.ban_id AND b.app_id = m.app_id ORDER BY b.ban_id DESC
            """, HoldQueries.ban)
    }

    /// The number of bans that are in effect now, up to a limit.
    static func countInForce(at moment: Moment, app: AppID, limit: Int, in tx: Reader) throws -> Int {
        try tx.rows(
            """
            SELECT user_id FROM members
            WHERE ban_id IS NOT NULL AND (ban_ends_at IS NULL OR ban_ends_at > \(moment)) AND app_id = \(app)
            ORDER BY ban_id DESC LIMIT \(limit)
            """
        ) { _ in true }.count
    }

    /// The number of bans in effect with each template, and without one, among the newest.
    ///
    /// - Parameter bound: how many bans are looked at.
    static func countsOfTemplates(
        at moment: Moment, app: AppID, lookingAt bound: Int, in tx: Reader
    ) throws -> [Int?: Int] {
        let rows = try tx.rows(
            """
            SELECT b.template_code, COUNT(*) FROM \(newestInForce(at: moment, app: app, limit: bound))
            JOIN bans b ON b.ban_id = m.ban_id AND b.app_id = m.app_id GROUP BY b.template_code
            """
        ) { row in (try row[0] as Int?, try row[1] as Int) }
        return Dictionary(rows) { first, _ in first }
    }

    /// Bans that are in effect, as `m`. The limit comes before a join. Otherwise PostgreSQL joins and sorts the bans of all members.
    private static func newestInForce(at moment: Moment, app: AppID, before last: String? = nil, limit: Int) -> SQL {
        let rest: SQL = if let last { "AND ban_id < \(last)" } else { "" }
        return """
            (SELECT ban_id, app_id FROM members
            WHERE ban_id IS NOT NULL AND app_id = \(app) \(rest) AND (ban_ends_at IS NULL OR ban_ends_at > \(moment))
            ORDER BY ban_id DESC LIMIT \(limit)) m
            """
    }
}

import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension BanQueries {
    static func begun(
        in period: Period, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        // A ban's id begins with its time, so it can be compared with the period.
        try tx.page(
            page, columns, from: "bans b WHERE \(period.holds("b.ban_id")) AND b.app_id = \(app)",
            orderedBy: "b.ban_id",
            decode: record)
    }

    static func released(
        in period: Period, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        let source: SQL = """
            bans b WHERE b.released_at IS NOT NULL AND b.released_at >= \(period.begin) AND b.released_at <= \(period.end)
                AND b.app_id = \(app)
            """
        return try tx.page(page, columns, from: source, orderedBy: "b.released_at", "b.ban_id", decode: record)
    }

    static func current(
        at moment: Moment, _ page: Page, app: AppID, in tx: Reader
    ) throws -> Paged<BanRecord> {
        let source: SQL = """
            members m JOIN bans b ON b.ban_id = m.ban_id
            WHERE m.ban_id IS NOT NULL AND m.app_id = \(app) AND (m.ban_ends_at IS NULL OR m.ban_ends_at > \(moment))
            """
        return try tx.page(page, columns, from: source, orderedBy: "b.ban_id", decode: record)
    }
}

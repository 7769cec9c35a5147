import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension SessionQueries {
    /// The number of an app's live sessions among the newest sessions of all apps.
    ///
    /// - Parameters:
    ///   - creation: sessions that were opened before have ended.
    ///   - limit: how many sessions are examined.
    static func live(
        of app: AppID, createdSince creation: Moment?, at moment: Moment, examining limit: Int, in tx: Reader
    ) throws -> (live: Int, examined: Int) {
        let found: (live: Int, examined: Int)? = try tx.first(
            """
            SELECT COUNT(*), COUNT(CASE WHEN s.app_id = \(app) AND s.ended_at IS NULL
                AND s.created_at >= \(creation?.milliseconds ?? 0) AND s.idle_expires_at > \(moment)
                AND s.expires_at > \(moment) AND s.generation = m.generation THEN 1 END)
            FROM (
                SELECT app_id, user_id, generation, created_at, ended_at, idle_expires_at, expires_at FROM sessions
                ORDER BY session_id DESC LIMIT \(limit)) s
            LEFT JOIN members m ON m.app_id = s.app_id AND m.user_id = s.user_id
            """
        ) { row in (live: try row[1], examined: try row[0]) }
        return found ?? (0, 0)
    }
}

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
        let newest = try tx.first(
            """
            SELECT COUNT(*), MIN(newest.session_id) FROM (
                SELECT session_id FROM sessions ORDER BY session_id DESC LIMIT \(limit)) AS newest
            """
        ) { row in (count: try row[0] as Int, oldest: try row[1] as SessionID?) }
        guard let newest, let oldest = newest.oldest else { return (0, 0) }
        // An outer join, so that an engine without statistics begins with the sessions and not with all members of the app.
        let live = try tx.first(
            """
            SELECT COUNT(m.user_id) FROM sessions s
            LEFT JOIN members m ON m.app_id = s.app_id AND m.user_id = s.user_id AND m.generation = s.generation
            WHERE s.session_id >= \(oldest) AND s.app_id = \(app) AND s.ended_at IS NULL
                AND s.created_at >= \(creation?.milliseconds ?? 0) AND s.idle_expires_at > \(moment)
                AND s.expires_at > \(moment)
            """
        ) { row in try row[0] as Int }
        return (live ?? 0, newest.count)
    }
}

import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `withdrawn_sessions`: hashes of refresh tokens whose member has withdrawn, and nothing else of them.
enum WithdrawnSessionQueries {
    /// Keeps the hashes of a member's sessions that go on.
    static func insert(
        sessionsOf user: UserID, app: AppID, at moment: Moment, until end: Moment, in tx: Transaction
    ) throws {
        try tx.execute(
            """
            INSERT INTO withdrawn_sessions (app_id, token_hash, expires_at)
            SELECT app_id, refresh_hash, CAST(\(end) AS BIGINT) FROM sessions
            WHERE user_id = \(user) AND app_id = \(app) AND ended_at IS NULL AND idle_expires_at > \(moment)
            """)
    }

    static func isThere(_ hash: [UInt8], app: AppID, at moment: Moment, in tx: Reader) throws -> Bool {
        try tx.first(
            """
            SELECT 1 FROM withdrawn_sessions
            WHERE token_hash = \(hash) AND app_id = \(app) AND expires_at > \(moment)
            """
        ) { _ in true } ?? false
    }
}

import GatehouseStorage
import GatehouseWire

/// Table `sessions`.
enum SessionQueries {
    static func insert(_ session: Session, refreshHash: [UInt8], in tx: Transaction) throws {
        try tx.execute(
            """
            INSERT INTO sessions (session_id, app_id, user_id, idp, key_thumbprint, refresh_hash, created_at, last_used_at,
                idle_expires_at, expires_at)
            VALUES (\(session.id), \(session.app), \(session.user), \(session.provider), \(session.key), \(refreshHash),
                \(session.createdAt.milliseconds), \(session.createdAt.milliseconds),
                \(session.idleExpiresAt.milliseconds), \(session.expiresAt.milliseconds))
            """)
    }

    static func session(
        _ id: SessionID, app: AppID, in tx: Transaction
    ) throws -> (session: Session, refreshHash: [UInt8])? {
        try tx.first(
            """
            SELECT user_id, idp, key_thumbprint, created_at, idle_expires_at, expires_at, ended_at, end_reason, refresh_hash
            FROM sessions WHERE session_id = \(id) AND app_id = \(app)
            """
        ) { row in
            let endedAt: Int64? = try row[6]
            let session = Session(
                id: id, app: app, user: try row[0], provider: try row[1], key: try row[2],
                createdAt: Moment(milliseconds: try row[3]), idleExpiresAt: Moment(milliseconds: try row[4]),
                expiresAt: Moment(milliseconds: try row[5]), end: try endedAt.map { _ in try row[7] })
            return (session, try row[8])
        }
    }

    /// Moves the idle deadline of a session that has not ended meanwhile. False when it has.
    static func touch(_ session: Session, until deadline: Moment, at moment: Moment, in tx: Transaction) throws -> Bool
    {
        try tx.execute(
            """
            UPDATE sessions SET last_used_at = \(moment.milliseconds), idle_expires_at = \(deadline.milliseconds)
            WHERE session_id = \(session.id) AND ended_at IS NULL
            """) == 1
    }

    /// False when it had ended before.
    static func end(
        _ id: SessionID, app: AppID, reason: SessionEnd, at moment: Moment, in tx: Transaction
    ) throws -> Bool {
        try tx.execute(
            """
            UPDATE sessions SET ended_at = \(moment.milliseconds), end_reason = \(reason)
            WHERE session_id = \(id) AND app_id = \(app) AND ended_at IS NULL
            """) == 1
    }

    /// Deletes sessions that ended before a moment, and those so old that none can live: a bounded number at a time, because
    /// every login waits for the transaction that does it.
    static func deleteOver(
        endedBefore end: Moment, createdBefore creation: Moment, limit: Int, in tx: Transaction
    ) throws -> Int {
        try tx.execute(
            """
            DELETE FROM sessions WHERE session_id IN (
                SELECT session_id FROM sessions WHERE ended_at < \(end.milliseconds) ORDER BY ended_at LIMIT \(limit))
            """)
            + tx.execute(
                """
                DELETE FROM sessions WHERE session_id IN (
                    SELECT session_id FROM sessions WHERE session_id < \(TimeOrderedID.firstSession(at: creation))
                    ORDER BY session_id LIMIT \(limit))
                """)
    }
}

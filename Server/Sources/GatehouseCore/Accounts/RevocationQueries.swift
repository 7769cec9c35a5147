import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// Table `revocations`: access tokens that were revoked before they expired. The ids sort in chronological order.
enum RevocationQueries {
    static func insert(_ revocation: Revocation, app: AppID, id: String, in tx: Draft) throws {
        try tx.insert(
            into: "revocations",
            [
                "revocation_id": id, "app_id": app, "user_id": revocation.userId, "session_id": revocation.sessionId,
                "idp": revocation.provider, "generation": revocation.generation, "reason": revocation.reason,
                "revoked_at": revocation.revokedAt,
            ])
    }

    /// The revocations, oldest first.
    static func revocations(
        of app: AppID, after id: String, limit: Int, in tx: Reader
    ) throws -> [(id: String, revocation: Revocation)] {
        try tx.rows(
            """
            SELECT revocation_id, user_id, session_id, idp, generation, reason, revoked_at FROM revocations
            WHERE revocation_id > \(id) AND app_id = \(app)
            ORDER BY revocation_id LIMIT \(limit)
            """
        ) { row in
            let revocation = Revocation(
                userId: try row[1], sessionId: try row[2], provider: try row[3], generation: try row[4],
                reason: try row[5], revokedAt: try row[6])
            return (try row[0], revocation)
        }
    }

    static func forget(before moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try tx.execute(
            """
            DELETE FROM revocations WHERE revocation_id IN (
                SELECT revocation_id FROM revocations WHERE revocation_id < \(TimeOrderedID.firstSession(at: moment))
                ORDER BY revocation_id LIMIT \(limit))
            """)
    }
}

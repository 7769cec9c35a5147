import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire

/// What game servers that verify signatures themselves can't see: which tokens were revoked before they expired (INFO-3).
enum RevocationRules {
    /// The maximum number of entries in one list.
    static let limit = 1_000
    /// A call older than this has been refused. The next list repeats this period, so it contains what a slow call writes late.
    static let overlapSeconds: Int64 = 60

    static func revoke(
        _ user: UserID, session: SessionID? = nil, provider: Provider? = nil, generation: Int64? = nil,
        reason: ErrorReason, _ change: Change, in tx: Draft
    ) throws {
        let revocation = Revocation(
            userId: user, sessionId: session, provider: provider, generation: generation, reason: reason,
            revokedAt: change.moment.milliseconds / 1_000)
        try RevocationQueries.insert(
            revocation, app: change.app.id, id: TimeOrderedID.entry(at: change.moment, random: change.random), in: tx)
    }

    /// The revocations since the request's start that can still concern valid tokens, and where the next list begins.
    static func list(
        since request: RevocationsRequest, tokenLifetimeSeconds: Int64, _ context: CallContext, in tx: Reader
    ) throws -> (list: RevocationList, cursor: String) {
        let oldest = context.moment.adding(seconds: -tokenLifetimeSeconds)
        let since = request.sinceDate.map { max(oldest, Moment(milliseconds: $0)) } ?? oldest
        let begin = max(request.cursor ?? "", TimeOrderedID.firstSession(at: since).rawValue)
        let rows = try RevocationQueries.revocations(of: context.app.id, after: begin, limit: limit + 1, in: tx)
        let isComplete = rows.count <= limit
        let told = rows.prefix(limit)
        let overlap = TimeOrderedID.firstSession(at: context.moment.adding(seconds: -overlapSeconds)).rawValue
        let list = RevocationList(
            appId: context.app.id, issuedAt: context.moment.milliseconds / 1_000, isComplete: isComplete,
            everyoneBefore: context.app.kickOut.map { $0.end.milliseconds / 1_000 },
            revokedKeys: try KeyQueries.revokedKeys(of: context.app.id, in: tx), revocations: told.map(\.revocation))
        return (list, isComplete ? max(begin, overlap) : told.last?.id ?? begin)
    }
}

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
}

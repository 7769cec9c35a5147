import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `sessions`.
enum SessionQueries {
    static func insert(
        _ session: Session, refreshHash: [UInt8], client: String?, in tx: Draft
    ) throws {
        try tx.insert(
            into: "sessions",
            [
                "session_id": session.id, "app_id": session.app, "user_id": session.user, "idp": session.provider,
                "key_thumbprint": session.key, "refresh_hash": refreshHash, "generation": session.generation,
                "created_at": session.createdAt, "last_used_at": session.createdAt,
                "idle_expires_at": session.idleExpiresAt, "expires_at": session.expiresAt, "client": client,
                "link": session.link, "replaces": session.replaces, "key_protection": session.keyProtection,
            ])
    }

    /// The device information of a member's newest session.
    static func client(of user: UserID, app: AppID, in tx: Reader) throws -> String? {
        try tx.first(
            """
            SELECT client FROM sessions WHERE user_id = \(user) AND app_id = \(app) AND client IS NOT NULL
            ORDER BY session_id DESC LIMIT 1
            """
        ) { row in try row[0] as String? } ?? nil
    }

    static func session(
        _ id: SessionID, app: AppID, in tx: Reader
    ) throws -> (session: Session, refreshHash: [UInt8])? {
        try tx.first("SELECT \(columns) FROM sessions s WHERE s.session_id = \(id) AND s.app_id = \(app)") { row in
            var columns = row.columns
            return (try session(of: &columns), try columns.next())
        }
    }

    /// A session with its member, in one statement over both tables: everything that a logged-in player's call, a login with the last
    /// provider and a token check need. It returns a row for each mapping of the member.
    static func live(_ id: SessionID, app: AppID) -> SQL {
        """
        SELECT \(columns), \(MemberQueries.columns) FROM sessions s
        JOIN members m ON m.app_id = s.app_id AND m.user_id = s.user_id
        LEFT JOIN identities i ON i.app_id = m.app_id AND i.user_id = m.user_id
        WHERE s.session_id = \(id) AND s.app_id = \(app) ORDER BY i.registered_at, i.idp
        """
    }

    /// One row of ``live(_:app:)``.
    struct LivePart: Sendable {
        let session: Session
        let refreshHash: [UInt8]
        let member: MemberQueries.Part

        init(_ row: Row) throws {
            var columns = row.columns
            session = try SessionQueries.session(of: &columns)
            refreshHash = try columns.next()
            member = try MemberQueries.Part(columns)
        }
    }

    /// The columns for ``session(of:)``, and then the hash of the refresh token.
    static let columns: SQL = """
        s.session_id, s.app_id, s.user_id, s.idp, s.key_thumbprint, s.generation, s.created_at, s.idle_expires_at, s.expires_at,
        s.ended_at, s.end_reason, s.link, s.replaces, s.key_protection, s.refresh_hash
        """

    static func session(of columns: inout ColumnReader) throws -> Session {
        Session(
            id: try columns.next(), app: try columns.next(), user: try columns.next(), provider: try columns.next(),
            key: try columns.next(), generation: try columns.next(), createdAt: try columns.next(),
            idleExpiresAt: try columns.next(), expiresAt: try columns.next(), end: try end(of: &columns),
            link: try columns.next(), replaces: try columns.next(), keyProtection: try columns.next())
    }

    private static func end(of columns: inout ColumnReader) throws -> SessionEnd? {
        guard try columns.next(Moment?.self) != nil else {
            _ = try columns.next(SessionEnd?.self)
            return nil
        }
        return try columns.next(SessionEnd.self)
    }

    /// A session with what its list tells of it.
    struct Listed: Sendable, Hashable {
        let session: Session
        /// The device information of its login.
        let client: String?
        let lastUsedAt: Moment
    }

    /// A session of a member, whether or not it has ended.
    static func listed(_ id: SessionID, of account: Account, in tx: Reader) throws -> Listed? {
        try tx.first(
            """
            SELECT \(listColumns) FROM sessions s
            WHERE s.session_id = \(id) AND s.user_id = \(account.user) AND s.app_id = \(account.app)
            """, listed)
    }

    /// A limited number of a member's sessions that have not ended, newest first: those that were opened since one moment, and whose
    /// idle deadline is after another.
    ///
    /// - Parameter last: the last session of the previous page; nil for the first page.
    static func listed(
        of account: Account, after last: SessionID?, createdSince creation: Moment, idleAfter deadline: Moment,
        limit: Int,
        in tx: Reader
    ) throws -> [Listed] {
        let further: SQL = if let last { "AND s.session_id < \(last)" } else { "" }
        return try tx.rows(
            """
            SELECT \(listColumns) FROM sessions s
            WHERE s.user_id = \(account.user) AND s.app_id = \(account.app) AND s.ended_at IS NULL
                AND s.generation = \(account.generation) AND s.created_at >= \(creation)
                AND s.idle_expires_at > \(deadline) \(further)
            ORDER BY s.session_id DESC LIMIT \(limit)
            """, listed)
    }

    private static let listColumns: SQL = "s.client, s.last_used_at, \(columns)"

    private static func listed(_ row: Row) throws -> Listed {
        var columns = row.columns
        let (client, lastUsedAt) = (try columns.next(String?.self), try columns.next(Moment.self))
        return Listed(session: try session(of: &columns), client: client, lastUsedAt: lastUsedAt)
    }

    /// Moves the idle deadline of a session. One that has ended in the meantime stays ended.
    ///
    /// - Parameter resumes: whether this is a login with the last provider.
    /// - Parameter protection: where the device's key is, if that has changed.
    static func touch(
        _ session: Session, until deadline: Moment, resumes: Bool, protection: KeyProtection? = nil, at moment: Moment,
        in tx: Draft
    ) throws {
        let protection: SQL = if let protection { ", key_protection = \(protection)" } else { "" }
        let resumption: SQL = if resumes { ", resumed_at = \(moment)" } else { "" }
        try tx.update(
            "sessions",
            set: """
                last_used_at = \(moment.milliseconds), idle_expires_at = \(deadline.milliseconds)\(resumption)\(protection)
                """,
            where: ["session_id": session.id, "app_id": session.app], and: "ended_at IS NULL")
    }

    /// Records the first use of the session. If another call has recorded it in the meantime, the transaction is retried.
    static func clearReplacement(of session: Session, in tx: Draft) throws {
        try tx.update(
            "sessions",
            set: "replaces = NULL",
            where: ["session_id": session.id, "app_id": session.app], and: "replaces IS NOT NULL",
            ifMissed: StorageError.conflict)
    }

    /// The oldest of a member's newest live sessions; nil if there are fewer than this number.
    static func live(
        of user: UserID, app: AppID, generation: Int64, oldestOf count: Int, in tx: Reader
    ) throws -> SessionID? {
        try tx.first(
            """
            SELECT MIN(newest.session_id), COUNT(*) FROM (
                SELECT session_id FROM sessions
                WHERE user_id = \(user) AND app_id = \(app) AND ended_at IS NULL AND generation = \(generation)
                ORDER BY session_id DESC LIMIT \(count)) AS newest
            """
        ) { row in try row[1] < count ? nil : row[0] } ?? nil
    }

    /// The live sessions of a member, from the oldest up to this one.
    static func live(of user: UserID, app: AppID, upTo newest: SessionID, in tx: Reader) throws -> [SessionID] {
        try tx.rows(
            """
            SELECT session_id FROM sessions
            WHERE user_id = \(user) AND app_id = \(app) AND ended_at IS NULL AND session_id <= \(newest)
            ORDER BY session_id LIMIT 1000
            """
        ) { row in try row[0] }
    }

    /// Examines a limited number of sessions after the given one, in order of age, and deletes those whose idle deadline has passed
    /// without use.
    ///
    /// - Returns: the last session examined, for the next call; nil at the end.
    static func deleteIdle(
        after session: SessionID?, createdBefore creation: Moment, idleBefore deadline: Moment, limit: Int,
        in tx: Transaction
    ) throws -> (deleted: Int, last: SessionID?) {
        let rows = try tx.rows(
            """
            SELECT session_id, idle_expires_at, app_id FROM sessions
            WHERE session_id > \(session?.rawValue ?? "") AND session_id < \(TimeOrderedID.firstSession(at: creation))
            ORDER BY session_id LIMIT \(limit)
            """
        ) { row in (id: try row[0] as SessionID, idleExpiresAt: try row[1] as Moment, app: try row[2] as AppID) }
        var deleted = 0
        for row in rows where row.idleExpiresAt < deadline {
            // The condition is repeated, so that a concurrent use keeps the session.
            deleted += try tx.execute(
                """
                DELETE FROM sessions
                WHERE session_id = \(row.id) AND app_id = \(row.app) AND idle_expires_at < \(deadline)
                """)
        }
        return (deleted, rows.count < limit ? nil : rows.last?.id)
    }

    /// Ends a live session. If it has ended in the meantime, the transaction is retried.
    static func end(
        _ id: SessionID, app: AppID, reason: SessionEnd, at moment: Moment, in tx: Draft
    ) throws {
        try tx.update(
            "sessions",
            set: "ended_at = \(moment.milliseconds), end_reason = \(reason)",
            where: ["session_id": id, "app_id": app], and: "ended_at IS NULL", ifMissed: StorageError.conflict)
    }

    /// A member's sessions that were opened with an identity provider and have not ended, except one; newest first.
    static func open(
        of account: Account, with provider: Provider, but kept: SessionID?, limit: Int, in tx: Reader
    ) throws -> [SessionID] {
        try tx.rows(
            """
            SELECT session_id FROM sessions WHERE \(areOpen(of: account, with: provider, but: kept))
            ORDER BY session_id DESC LIMIT \(limit)
            """
        ) { row in try row[0] }
    }

    /// The condition that such a session fulfils.
    static func areOpen(of account: Account, with provider: Provider, but kept: SessionID?) -> SQL {
        """
        user_id = \(account.user) AND app_id = \(account.app) AND idp = \(provider) AND ended_at IS NULL
            AND generation = \(account.generation) AND session_id <> \(kept?.rawValue ?? "")
        """
    }

    /// Ends all sessions that were opened with an identity provider, except one.
    static func end(
        openedWith provider: Provider, of account: Account, but kept: SessionID?, reason: SessionEnd, at moment: Moment,
        in tx: Draft
    ) throws {
        try tx.update(
            "sessions",
            set: "ended_at = \(moment.milliseconds), end_reason = \(reason)",
            where: ["user_id": account.user, "app_id": account.app, "idp": provider],
            and: "ended_at IS NULL AND generation = \(account.generation) AND session_id <> \(kept?.rawValue ?? "")")
    }

    /// Continues the session of a guest under the identity provider that it has mapped (MAP-4), with this link.
    static func moveOn(_ session: Session, to provider: Provider, link: Int64, in tx: Draft) throws {
        try tx.update(
            "sessions", set: "idp = \(provider), link = \(link)",
            where: ["session_id": session.id, "app_id": session.app])
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "sessions", where: ["user_id": user, "app_id": app])
    }
}

/// Which members have been logged in on which devices, as far as their sessions are kept. A device is named by its key.
extension SessionQueries {
    /// The devices of a member, that of the last use first.
    static func devices(
        of user: UserID, app: AppID, limit: Int, in tx: Reader
    ) throws -> [(key: KeyThumbprint, usedAt: Moment)] {
        try tx.rows(
            """
            SELECT key_thumbprint, MAX(last_used_at) FROM sessions WHERE user_id = \(user) AND app_id = \(app)
            GROUP BY key_thumbprint ORDER BY 2 DESC, 1 LIMIT \(limit)
            """
        ) { row in (try row[0], try row[1]) }
    }

    /// The members who have logged in on a device with an identity provider, the last one first. The guest of a device is known by its
    /// identity. The condition must match the one in the definition of the index.
    static func members(
        ofDevice key: KeyThumbprint, app: AppID, limit: Int, in tx: Reader
    ) throws -> [(user: UserID, usedAt: Moment)] {
        try tx.rows(
            """
            SELECT user_id, MAX(last_used_at) FROM sessions
            WHERE key_thumbprint = \(key) AND idp <> 'guest' AND app_id = \(app)
            GROUP BY user_id ORDER BY 2 DESC, 1 LIMIT \(limit)
            """
        ) { row in (try row[0], try row[1]) }
    }

    /// What a device has said of itself at a member's last login on it.
    static func client(of user: UserID, on key: KeyThumbprint, app: AppID, in tx: Reader) throws -> String? {
        try tx.first(
            """
            SELECT client FROM sessions WHERE user_id = \(user) AND app_id = \(app) AND key_thumbprint = \(key)
            ORDER BY session_id DESC LIMIT 1
            """
        ) { row in try row[0] as String? } ?? nil
    }
}

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

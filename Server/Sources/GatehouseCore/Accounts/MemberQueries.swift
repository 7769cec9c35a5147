import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Tables `members` and `identities`. `identities`' primary key (subject, namespace, IdP, app) gives an identity at most
/// one member, and its constraint `identities_one_per_idp` gives a member at most one identity per IdP (LNK-1).
enum MemberQueries {
    static let memberKey = UniqueConstraint.primaryKey(of: "members", "app_id", "user_id")
    static let identityKey = UniqueConstraint.primaryKey(of: "identities", "subject", "namespace", "idp", "app_id")
    static let oneIdentityPerProvider = UniqueConstraint(
        "identities_one_per_idp", on: "identities", "user_id", "app_id", "idp")

    /// If this id is taken, the transaction is retried with another id.
    ///
    /// - Parameter day: the app's (``AppZone``).
    static func insertMember(_ id: UserID, app: AppID, on day: Int64, at moment: Moment, in tx: Draft) throws {
        try tx.insert(
            into: "members",
            [
                "app_id": app, "user_id": id, "status": MemberStatus.normal, "registered_at": moment,
                "last_login_at": moment, "active_day": day,
            ], ifTaken: [memberKey: StorageError.conflict])
    }

    /// If the member has changed since it was read, the transaction is retried, so that a login can't slip in behind a withdrawal, a
    /// ban or a transfer. So it is if the day has changed: of two logins at once, one is the first of the day.
    static func updateLastLogin(_ account: Account, day: Int64, at moment: Moment, in tx: Draft) throws {
        try tx.update(
            "members",
            set: "last_login_at = \(moment), active_day = \(day)",
            where: ["app_id": account.app, "user_id": account.user],
            and: "version = \(account.version) AND active_day = \(account.activeDay)",
            ifMissed: StorageError.conflict)
    }

    /// Writes the last day on which a player was there. If it has changed since the member was read, the transaction is retried.
    static func updateActiveDay(_ account: Account, day: Int64, in tx: Draft) throws {
        try tx.update(
            "members",
            set: "active_day = \(day)",
            where: ["app_id": account.app, "user_id": account.user], and: "active_day = \(account.activeDay)",
            ifMissed: StorageError.conflict)
    }

    /// The member with its mappings, oldest first, in one statement with a row for each mapping.
    static func account(_ id: UserID, app: AppID, in tx: Reader) throws -> Account? {
        account(
            try tx.rows(
                """
                SELECT \(columns) FROM members m
                LEFT JOIN identities i ON i.app_id = m.app_id AND i.user_id = m.user_id
                WHERE m.app_id = \(app) AND m.user_id = \(id) ORDER BY i.registered_at, i.idp
                """
            ) { row in try Part(row.columns) })
    }

    /// The member of an identity, in the same form. Its id comes from a subquery and not from a join, because a planner without
    /// statistics would begin a join with all members of the app.
    static func account(of identity: IdentityKey, app: AppID, in tx: Reader) throws -> Account? {
        account(
            try tx.rows(
                """
                SELECT \(columns) FROM members m
                LEFT JOIN identities i ON i.app_id = m.app_id AND i.user_id = m.user_id
                WHERE m.app_id = \(app) AND m.user_id = (
                    SELECT o.user_id FROM identities o WHERE o.subject = \(identity.subject)
                        AND o.namespace = \(identity.namespace) AND o.idp = \(identity.provider) AND o.app_id = \(app))
                ORDER BY i.registered_at, i.idp
                """
            ) { row in try Part(row.columns) })
    }

    /// The columns for ``Part`` of a statement that joins `members m` with `identities i`.
    static let columns: SQL = """
        m.app_id, m.user_id, m.status, m.registered_at, m.last_login_at, m.version, m.generation, m.active_day, i.idp,
        i.subject, i.registered_at, i.revoked_at, i.link
        """

    /// One row: the member, and one of its mappings if it has any.
    struct Part: Sendable {
        fileprivate let account: Account
        fileprivate let mapping: (mapping: Mapping, link: Int64)?

        init(_ columns: consuming ColumnReader) throws {
            var columns = columns
            var account = Account(
                app: try columns.next(), user: try columns.next(), status: try columns.next(),
                registrationDate: try columns.next(), lastLoginDate: try columns.next(), version: try columns.next(),
                generation: try columns.next(), mappings: [])
            account.activeDay = try columns.next()
            self.account = account
            guard let provider = try columns.next(Provider?.self) else {
                mapping = nil
                return
            }
            let mapping = Mapping(
                provider: provider, subject: try columns.next(), registrationDate: try columns.next(),
                revokedDate: try columns.next())
            self.mapping = (mapping, try columns.next())
        }
    }

    static func account(_ parts: [Part]) -> Account? {
        guard var account = parts.first?.account else { return nil }
        for part in parts {
            guard let (mapping, link) = part.mapping else { continue }
            account.mappings.append(mapping)
            account.links[mapping.provider] = link
        }
        return account
    }

    static func holds(of id: UserID, app: AppID, in tx: Reader) throws -> Holds? {
        try tx.first(
            """
            SELECT withdraws_at, ban_id, ban_ends_at, grace_ban_id, grace_ends_at, restorable_until FROM members
            WHERE app_id = \(app) AND user_id = \(id)
            """
        ) { row in
            let ban: String? = try row[1]
            let graceBan: String? = try row[3]
            return Holds(
                withdrawsAt: try row[0], ban: try ban.map { .init(id: $0, endsAt: try row[2]) },
                graceBan: try graceBan.map { .init(id: $0, endsAt: try row[4]) }, restorableUntil: try row[5])
        }
    }

    static func sessionsEnd(of id: UserID, app: AppID, in tx: Reader) throws -> SessionsEnd? {
        try tx.first(
            """
            SELECT sessions_end_reason, sessions_end_message FROM members
            WHERE app_id = \(app) AND user_id = \(id)
            """
        ) { row in
            let reason: ErrorReason? = try row[0]
            let message: String? = try row[1]
            return try reason.map { SessionsEnd(reason: $0, message: try message.map(JSONText.read)) }
        } ?? nil
    }

    /// Locks the member's row: until the end of the transaction no other transaction changes the member. False if there is no such
    /// member.
    static func take(_ id: UserID, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute("UPDATE members SET version = version + 1 WHERE app_id = \(app) AND user_id = \(id)") == 1
    }

    /// Locks the member's row until the transaction ends. False for a member who has withdrawn, or who never was.
    static func lockUnlessWithdrawn(_ id: UserID, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE members SET version = version
            WHERE app_id = \(app) AND user_id = \(id) AND status <> \(MemberStatus.withdrawn)
            """) == 1
    }

    /// Makes the writes depend on the member: if it has changed since it was read, the transaction is retried.
    static func requireUnchanged(_ account: Account, in tx: Draft) throws {
        try tx.update(
            "members", set: "version = version", where: ["app_id": account.app, "user_id": account.user],
            and: "version = \(account.version)", ifMissed: StorageError.conflict)
    }

    /// Records a change in other tables as a new version. If the member has changed since it was read, the transaction is retried. In a
    /// ``Transaction`` this also locks the member's row.
    static func step(_ account: Account, in tx: Draft) throws {
        try tx.update(
            "members",
            set: "version = \(account.version + 1)",
            where: ["app_id": account.app, "user_id": account.user], and: "version = \(account.version)",
            ifMissed: StorageError.conflict)
    }

    /// Writes the member's status and holds. If the member has changed since it was read, the transaction is retried.
    static func update(_ account: Account, status: MemberStatus, holds: Holds, in tx: Draft) throws {
        try tx.update(
            "members",
            set: """
                version = \(account.version + 1), status = \(status),
                withdraws_at = \(holds.withdrawsAt), ban_id = \(holds.ban?.id),
                ban_ends_at = \(holds.ban?.endsAt), grace_ban_id = \(holds.graceBan?.id),
                grace_ends_at = \(holds.graceBan?.endsAt), restorable_until = \(holds.restorableUntil),
                due_at = \(holds.dueAt(as: status))
                """,
            where: ["app_id": account.app, "user_id": account.user], and: "version = \(account.version)",
            ifMissed: StorageError.conflict)
    }

    /// Ends every session of the member at once, by beginning a new generation.
    static func endSessions(of id: UserID, app: AppID, _ end: SessionsEnd, in tx: Draft) throws {
        let message = try end.message.map(JSONText.write)
        try tx.update(
            "members",
            set: """
                generation = generation + 1, sessions_end_reason = \(end.reason),
                sessions_end_message = \(message)
                """,
            where: ["app_id": app, "user_id": id])
    }

    static func list(
        of app: AppID, status: MemberStatus?, after: UserID?, limit: Int, in tx: Reader
    ) throws -> [Member] {
        let condition: SQL = if let status { "AND status = \(status)" } else { "" }
        return try tx.rows(
            """
            SELECT user_id, status, registered_at, last_login_at FROM members
            WHERE app_id = \(app) AND user_id > \(after ?? UserID("")) \(condition) ORDER BY user_id LIMIT \(limit)
            """
        ) { row in
            Member(
                appId: app, userId: try row[0], status: try row[1], registrationDate: try row[2],
                lastLoginDate: try row[3], mappings: [])
        }
    }

    /// Members with passed deadlines, the longest waiting first.
    ///
    /// - Parameter last: the last member of the page before.
    static func due(at moment: Moment, after last: Due?, limit: Int, in tx: Reader) throws -> [Due] {
        let begin: SQL =
            if let last {
                "AND (due_at, user_id, app_id) > (\(last.since), \(last.member.user), \(last.member.app))"
            } else { "" }
        return try tx.rows(
            """
            SELECT app_id, user_id, due_at FROM members WHERE due_at <= \(moment) \(begin)
            ORDER BY due_at, user_id, app_id LIMIT \(limit)
            """
        ) { row in Due(member: LapsedMember(app: try row[0], user: try row[1]), since: try row[2]) }
    }

    /// A member with a passed deadline.
    struct Due: Sendable {
        let member: LapsedMember
        let since: Moment
    }
}

import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

// Members that an import brings.
extension MemberQueries {
    /// Writes a member with its dates and its holds. If its id is taken, the transaction is retried.
    static func insertImported(_ account: Account, in tx: Draft) throws {
        let holds = account.holds
        try tx.insert(
            into: "members",
            [
                "app_id": account.app, "user_id": account.user, "status": account.status,
                "registered_at": account.registrationDate, "last_login_at": account.lastLoginDate,
                "active_day": account.activeDay, "withdraws_at": holds.withdrawsAt, "ban_id": holds.ban?.id,
                "ban_ends_at": holds.ban?.endsAt, "due_at": holds.dueAt(as: account.status),
            ], ifTaken: [memberKey: StorageError.conflict])
    }

    /// The members of many identities. A subject is compared byte by byte.
    static func owners(
        of identities: [IdentityKey], app: AppID, in tx: Reader
    ) throws -> [(identity: IdentityKey, user: UserID)] {
        struct Scope: Hashable {
            let provider: Provider
            let namespace: String
        }
        let scopes = Dictionary(grouping: identities) { Scope(provider: $0.provider, namespace: $0.namespace) }
        return try scopes.flatMap { scope, keys in
            try pages(of: keys.map(\.subject)).flatMap { page in
                try tx.rows(
                    """
                    \(asked(page, app: app))
                    SELECT i.subject, i.user_id FROM asked a
                    JOIN identities i ON i.subject = a.name AND i.app_id = a.app_id
                    WHERE i.idp = \(scope.provider) AND i.namespace = \(scope.namespace)
                    """
                ) { row in
                    let identity = IdentityKey(
                        provider: scope.provider, namespace: scope.namespace, subject: try row[0])
                    return (identity: identity, user: try row[1] as UserID)
                }
            }
        }
    }

    /// Those of the ids that members have, or have had.
    static func existing(among users: [UserID], app: AppID, in tx: Reader) throws -> Set<UserID> {
        var found: Set<UserID> = []
        for page in pages(of: users) {
            for member in try briefs(of: page, app: app, in: tx) { found.insert(member.brief.user) }
        }
        return found
    }

    /// Locks the row of a member that nobody has used or changed since it was written. False if somebody has, or there is no such member.
    static func lockUnused(_ user: UserID, since moment: Moment, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE members SET version = version WHERE app_id = \(app) AND user_id = \(user) AND version = 0
                AND generation = 0 AND last_login_at <= \(moment)
            """) == 1
    }

    /// Deletes a member whose row is locked. What other tables have of it is deleted before.
    static func deleteMember(_ user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "members", where: ["app_id": app, "user_id": user])
    }

    /// Lists short enough for one statement.
    private static func pages<Name>(of names: [Name]) -> [[Name]] {
        stride(from: 0, to: names.count, by: 256).map { Array(names[$0..<min($0 + 256, names.count)]) }
    }
}

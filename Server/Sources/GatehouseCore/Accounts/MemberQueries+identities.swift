import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// The identities of members, in their own table.
extension MemberQueries {
    package static func owner(of identity: IdentityKey, app: AppID, in tx: Reader) throws -> UserID? {
        try tx.first(
            """
            SELECT user_id FROM identities WHERE app_id = \(app) AND idp = \(identity.provider)
                AND namespace = \(identity.namespace) AND subject = \(identity.subject)
            """
        ) { row in try row[0] }
    }

    /// If the identity belongs to a member in the meantime, or the member has one of this provider, the transaction is retried.
    static func insertIdentity(
        _ identity: IdentityKey, of account: Account, at moment: Moment, in tx: Draft
    ) throws {
        try tx.insert(
            into: "identities",
            [
                "app_id": account.app, "idp": identity.provider, "namespace": identity.namespace,
                "subject": identity.subject, "user_id": account.user, "registered_at": moment,
                "link": account.nextLink,
            ], ifTaken: [identityKey: StorageError.conflict, oneIdentityPerProvider: StorageError.conflict])
    }

    /// If the identity was deleted in the meantime, the transaction is retried.
    static func deleteIdentity(_ provider: Provider, of member: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(
            from: "identities",
            where: [
                "user_id": member, "app_id": app, "idp": provider,
            ], ifMissed: StorageError.conflict)
    }

    /// Removes the member's identity, unless sessions other than this one were opened with it and have not ended.
    ///
    /// - Parameter failure: the error if there are such sessions, or no such identity.
    static func deleteIdentity(
        _ provider: Provider, of account: Account, withoutSessionsBut kept: SessionID, ifOpen failure: any Error,
        in tx: Draft
    ) throws {
        try tx.delete(
            from: "identities",
            where: ["user_id": account.user, "app_id": account.app, "idp": provider],
            and: """
                NOT EXISTS (SELECT 1 FROM sessions WHERE \(SessionQueries.areOpen(of: account, with: provider, but: kept)))
                """, ifMissed: failure)
    }

    /// Sets the time at which the provider reported the revoked consent, or clears it after a new login.
    static func setRevoked(
        _ moment: Moment?, _ provider: Provider, of member: UserID, app: AppID, in tx: Draft
    ) throws {
        try tx.update(
            "identities",
            set: "revoked_at = \(moment)",
            where: ["user_id": member, "app_id": app, "idp": provider])
    }

    static func deleteIdentities(of member: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "identities", where: ["user_id": member, "app_id": app])
    }

    /// The members with an identity of this subject, each with its provider.
    static func holders(
        ofSubject subject: String, app: AppID, in tx: Reader
    ) throws -> [(user: UserID, provider: Provider)] {
        try tx.rows("SELECT user_id, idp FROM identities WHERE subject = \(subject) AND app_id = \(app)") { row in
            (try row[0], try row[1])
        }
    }
}

/// Table `former_identities`: a member's identities before a forced mapping or a transfer, for as long as that can be undone.
enum FormerIdentityQueries {
    static func keep(
        _ identity: IdentityKey, of user: UserID, app: AppID, at moment: Moment, until end: Moment, in tx: Transaction
    ) throws {
        try tx.execute(
            """
            INSERT INTO former_identities (user_id, app_id, idp, namespace, subject, left_at, expires_at)
            VALUES (\(user), \(app), \(identity.provider), \(identity.namespace), \(identity.subject), \(moment), \(end))
            ON CONFLICT (user_id, app_id, idp) DO UPDATE SET namespace = excluded.namespace, subject = excluded.subject,
                left_at = excluded.left_at, expires_at = excluded.expires_at
            """)
    }

    /// The identities, the last removed first.
    static func identities(of user: UserID, app: AppID, at moment: Moment, in tx: Reader) throws -> [IdentityKey] {
        try tx.rows(
            """
            SELECT idp, namespace, subject FROM former_identities
            WHERE user_id = \(user) AND app_id = \(app) AND expires_at > \(moment) ORDER BY left_at DESC, idp
            """
        ) { row in IdentityKey(provider: try row[0], namespace: try row[1], subject: try row[2]) }
    }

    /// The members that had an identity of this subject, as long as that can be undone.
    static func holders(
        ofSubject subject: String, app: AppID, limit: Int, in tx: Reader
    ) throws -> [(user: UserID, provider: Provider, until: Moment)] {
        try tx.rows(
            """
            SELECT user_id, idp, left_at FROM former_identities WHERE subject = \(subject) AND app_id = \(app)
            ORDER BY left_at DESC LIMIT \(limit)
            """
        ) { row in (try row[0], try row[1], try row[2]) }
    }

    /// Deletes every record of an identity, including those of members that no longer have it.
    static func deleteAll(naming mapping: Mapping, of user: UserID, app: AppID, in tx: Transaction) throws {
        try tx.execute(
            """
            DELETE FROM former_identities WHERE subject = \(mapping.subject) AND idp = \(mapping.provider) AND app_id = \(app)
                AND namespace = (
                    SELECT namespace FROM identities
                    WHERE user_id = \(user) AND app_id = \(app) AND idp = \(mapping.provider))
            """)
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Draft) throws {
        try tx.delete(from: "former_identities", where: ["user_id": user, "app_id": app])
    }
}

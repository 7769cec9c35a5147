import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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

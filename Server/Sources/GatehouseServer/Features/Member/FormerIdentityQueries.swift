import GatehouseStorage
import GatehouseWire

/// Table `former_identities`: what led to a member that has lost its last identity, for as long as it can be restored.
enum FormerIdentityQueries {
    /// Keeps the identities that lead to the member now.
    static func keep(_ identity: IdentityKey, of user: UserID, app: AppID, at moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            "DELETE FROM former_identities WHERE user_id = \(user) AND app_id = \(app) AND idp = \(identity.provider)")
        try tx.execute(
            """
            INSERT INTO former_identities (user_id, app_id, idp, namespace, subject, registered_at, left_at)
            VALUES (\(user), \(app), \(identity.provider), \(identity.namespace), \(identity.subject), \(moment), \(moment))
            """)
    }

    /// The last that left first.
    static func identities(of user: UserID, app: AppID, in tx: Transaction) throws -> [IdentityKey] {
        try tx.rows(
            """
            SELECT idp, namespace, subject FROM former_identities WHERE user_id = \(user) AND app_id = \(app)
            ORDER BY left_at DESC, idp
            """
        ) { row in IdentityKey(provider: try row[0], namespace: try row[1], subject: try row[2]) }
    }

    static func deleteAll(of user: UserID, app: AppID, in tx: Transaction) throws {
        try tx.later("DELETE FROM former_identities WHERE user_id = \(user) AND app_id = \(app)")
    }
}

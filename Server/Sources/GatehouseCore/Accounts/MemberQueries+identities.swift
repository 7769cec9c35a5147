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

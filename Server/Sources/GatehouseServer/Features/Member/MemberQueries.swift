import GatehouseStorage
import GatehouseWire

/// Tables `members` and `identities`. `identities`' primary key (subject, namespace, IdP, app) gives an identity at most
/// one member, and its constraint `identities_one_per_idp` gives a member at most one identity per IdP (LNK-1).
enum MemberQueries {
    static func owner(of identity: VerifiedIdentity, app: AppID, in tx: Transaction) throws -> UserID? {
        try tx.first(
            """
            SELECT user_id FROM identities WHERE app_id = \(app) AND idp = \(identity.provider)
                AND namespace = \(identity.namespace) AND subject = \(identity.subject)
            """
        ) { row in try row[0] }
    }

    /// False when the id is taken.
    static func insertMember(_ id: UserID, app: AppID, at moment: Moment, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO members (app_id, user_id, status, registered_at, last_login_at)
            VALUES (\(app), \(id), \(MemberStatus.normal), \(moment.milliseconds), \(moment.milliseconds))
            ON CONFLICT (app_id, user_id) DO NOTHING
            """) == 1
    }

    /// False when the identity has a member, or the member an identity of this IdP.
    static func insertIdentity(
        _ identity: VerifiedIdentity, of member: UserID, app: AppID, at moment: Moment, in tx: Transaction
    ) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO identities (app_id, idp, namespace, subject, user_id, registered_at)
            VALUES (\(app), \(identity.provider), \(identity.namespace), \(identity.subject), \(member),
                \(moment.milliseconds))
            ON CONFLICT DO NOTHING
            """) == 1
    }

    static func deleteMember(_ id: UserID, app: AppID, in tx: Transaction) throws {
        try tx.execute("DELETE FROM members WHERE app_id = \(app) AND user_id = \(id)")
    }

    static func updateLastLogin(of id: UserID, app: AppID, at moment: Moment, in tx: Transaction) throws {
        try tx.execute(
            """
            UPDATE members SET last_login_at = \(moment.milliseconds) WHERE app_id = \(app) AND user_id = \(id)
            """)
    }

    static func member(_ id: UserID, app: AppID, in tx: Transaction) throws -> Member? {
        let member = try tx.first(
            "SELECT status, registered_at, last_login_at FROM members WHERE app_id = \(app) AND user_id = \(id)"
        ) { row in
            Member(
                appId: app, userId: id, status: try row[0], registrationDate: try row[1], lastLoginDate: try row[2],
                mappings: [])
        }
        guard var member else { return nil }
        member.mappings = try tx.rows(
            """
            SELECT idp, subject, registered_at FROM identities WHERE app_id = \(app) AND user_id = \(id)
            ORDER BY registered_at, idp
            """
        ) { row in Mapping(provider: try row[0], subject: try row[1], registrationDate: try row[2]) }
        return member
    }
}

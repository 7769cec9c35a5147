import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

// What an export reads of members, page by page.
extension MemberQueries {
    /// A row of a member.
    struct Exported: Sendable {
        let user: UserID
        let status: MemberStatus
        let registrationDate: Int64
        let lastLoginDate: Int64
        let withdrawsAt: Moment?
        let graceEndsAt: Moment?
    }

    /// A row of a member's identity.
    struct ExportedIdentity: Sendable {
        let user: UserID
        let provider: Provider
        let namespace: String
        let subject: String
        let registrationDate: Int64
    }

    static func exported(
        of app: AppID, after last: UserID?, limit: Int, in tx: Reader
    ) throws -> [Exported] {
        try tx.rows(
            """
            SELECT user_id, status, registered_at, last_login_at, withdraws_at, grace_ends_at FROM members
            WHERE app_id = \(app) AND user_id > \(last ?? UserID("")) ORDER BY user_id LIMIT \(limit)
            """
        ) { row in
            Exported(
                user: try row[0], status: try row[1], registrationDate: try row[2], lastLoginDate: try row[3],
                withdrawsAt: try row[4], graceEndsAt: try row[5])
        }
    }

    /// In no order.
    static func exportedIdentities(of users: UserRange, app: AppID, in tx: Reader) throws -> [ExportedIdentity] {
        try tx.rows(
            """
            SELECT user_id, idp, namespace, subject, registered_at FROM identities
            WHERE \(users.condition) AND app_id = \(app)
            """
        ) { row in
            ExportedIdentity(
                user: try row[0], provider: try row[1], namespace: try row[2], subject: try row[3],
                registrationDate: try row[4])
        }
    }
}

import GatehouseStorage
import GatehouseWire

extension MemberQueries {
    /// With the moment at which time changes the member.
    static func briefs(
        of users: [UserID], app: AppID, in tx: Transaction
    ) throws -> [(brief: MemberLookup.Brief, dueAt: Moment?)] {
        try tx.rows(
            """
            SELECT user_id, status, registered_at, due_at FROM members
            WHERE app_id = \(app) AND user_id IN (\(list: users))
            """
        ) { row in
            (MemberLookup.Brief(user: try row[0], status: try row[1], registeredAt: try row[2]), try row[3])
        }
    }

    static func identities(of users: [UserID], app: AppID) -> SQL {
        """
        SELECT user_id, idp, subject, registered_at FROM identities
        WHERE user_id IN (\(list: users)) AND app_id = \(app) ORDER BY user_id, registered_at, idp
        """
    }

    static func owners(of subjects: [String], at provider: Provider, app: AppID) -> SQL {
        """
        SELECT subject, user_id FROM identities
        WHERE subject IN (\(list: subjects)) AND idp = \(provider) AND app_id = \(app)
        ORDER BY subject, registered_at, namespace
        """
    }
}

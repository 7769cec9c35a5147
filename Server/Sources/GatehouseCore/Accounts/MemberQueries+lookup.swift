import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension MemberQueries {
    /// Includes the moment of the member's next deadline.
    static func briefs(
        of users: [UserID], app: AppID, in tx: Reader
    ) throws -> [(brief: FindMembers.Brief, dueAt: Moment?)] {
        try tx.rows(
            """
            \(asked(users, app: app))
            SELECT m.user_id, m.status, m.registered_at, m.due_at FROM asked a
            JOIN members m ON m.app_id = a.app_id AND m.user_id = a.name
            """
        ) { row in
            (FindMembers.Brief(user: try row[0], status: try row[1], registeredAt: try row[2]), try row[3])
        }
    }

    static func identities(of users: [UserID], app: AppID) -> SQL {
        """
        \(asked(users, app: app))
        SELECT i.user_id, i.idp, i.subject, i.registered_at FROM asked a
        JOIN identities i ON i.user_id = a.name AND i.app_id = a.app_id
        ORDER BY i.user_id, i.registered_at, i.idp
        """
    }

    static func owners(of subjects: [String], at provider: Provider, app: AppID) -> SQL {
        """
        \(asked(subjects, app: app))
        SELECT i.subject, i.user_id FROM asked a
        JOIN identities i ON i.subject = a.name AND i.app_id = a.app_id
        WHERE i.idp = \(provider) ORDER BY i.subject, i.registered_at, i.namespace
        """
    }

    /// The requested names as a table to join with. Each row contains the app, because a planner without statistics would begin with
    /// all rows of the app if it were a constant.
    static func asked(_ names: [some SQLConvertible], app: AppID) -> SQL {
        """
        WITH asked (app_id, name) AS MATERIALIZED (
            SELECT CAST(\(app) AS TEXT), v.column1 FROM (VALUES \(rows: names)) AS v)
        """
    }
}

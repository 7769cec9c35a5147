import GatehouseProviders
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// A member in a list.
package struct MemberRow: Sendable, Hashable {
    package let user: UserID
    package let status: MemberStatus
    package let registeredAt: Moment
    package let lastLoginAt: Moment
    package var providers: [Provider] = []
}

extension MemberQueries {
    /// The members that match, in the order of the cursor. The inner statement bounds how many are looked at: by the table's key, which
    /// is the order of registration. No index has the last logins, because each login would have to write it, so that order is one of
    /// the members that were looked at.
    static func browse(
        _ filter: MemberFilter, from cursor: MemberCursor, app: AppID, limit: Int, lookingAt bound: Int, in tx: Reader
    ) throws -> [MemberRow] {
        let status: SQL = if let status = filter.status { "AND m.status = \(status)" } else { "" }
        let has: SQL = if let provider = filter.has { "AND \(mapping(of: provider)) IS NOT NULL" } else { "" }
        let lacks: SQL = if let provider = filter.lacks { "AND \(mapping(of: provider)) IS NULL" } else { "" }
        let direction = direction(cursor)
        let order: SQL =
            switch cursor.order.key {
            case .registration: "m.user_id \(direction)"
            case .lastLogin: "m.last_login_at \(direction), m.user_id \(direction)"
            }
        return try tx.rows(
            """
            SELECT m.user_id, m.status, m.registered_at, m.last_login_at FROM (
                SELECT app_id, user_id, status, registered_at, last_login_at FROM members
                WHERE app_id = \(app) AND \(range(filter, cursor)) LIMIT \(bound)) m
            WHERE TRUE \(status) \(has) \(lacks) \(rest(cursor)) ORDER BY \(order) LIMIT \(limit)
            """
        ) { row in
            MemberRow(
                user: try row[0], status: try row[1], registeredAt: try row[2], lastLoginAt: try row[3])
        }
    }

    /// The last member that ``browse(_:from:app:limit:lookingAt:in:)`` has looked at; nil if none follows it.
    static func lastLookedAt(
        _ filter: MemberFilter, from cursor: MemberCursor, app: AppID, lookingAt bound: Int, in tx: Reader
    ) throws -> (user: UserID, registeredAt: Moment)? {
        // It and the one that follows.
        let ids = try tx.rows(
            """
            SELECT user_id, registered_at FROM members
            WHERE app_id = \(app) AND \(range(filter, cursor)) LIMIT 2 OFFSET \(bound - 1)
            """
        ) { row in (user: try row[0] as UserID, registeredAt: try row[1] as Moment) }
        return ids.count > 1 ? ids.first : nil
    }

    /// The app's first member; nil if it has none.
    static func first(of app: AppID, in tx: Reader) throws -> (user: UserID, registeredAt: Moment)? {
        try tx.first(
            "SELECT user_id, registered_at FROM members WHERE app_id = \(app) ORDER BY user_id LIMIT 1"
        ) { row in (user: try row[0], registeredAt: try row[1]) }
    }

    /// The members that are looked at, and their order. User ids are in the order of registration. There is one bound at each end, because
    /// SQLite would begin at any of two.
    private static func range(_ filter: MemberFilter, _ cursor: MemberCursor) -> SQL {
        var begin = filter.since.map { TimeOrderedID.firstUser(at: $0) } ?? UserID("")
        var end = filter.until.map { TimeOrderedID.firstUser(at: $0) } ?? UserID(TimeOrderedID.end)
        guard cursor.order == .oldest else {
            if cursor.order == .newest, let last = cursor.user { end = UserID(min(end.rawValue, last.rawValue)) }
            return "user_id >= \(begin) AND user_id < \(end) ORDER BY user_id DESC"
        }
        var first: SQL = ">="
        if let last = cursor.user, last.rawValue >= begin.rawValue { (begin, first) = (last, ">") }
        return "user_id \(first) \(begin) AND user_id < \(end) ORDER BY user_id"
    }

    /// The members that follow the page before, where the members that are looked at do not begin behind it.
    private static func rest(_ cursor: MemberCursor) -> SQL {
        guard cursor.order.key == .lastLogin, let user = cursor.user, let login = cursor.lastLoginAt else { return "" }
        let sign: SQL = cursor.order.isAscending ? ">" : "<"
        return "AND (m.last_login_at, m.user_id) \(sign) (\(login), \(user))"
    }

    private static func direction(_ cursor: MemberCursor) -> SQL { cursor.order.isAscending ? "ASC" : "DESC" }

    /// Looked up for each member. PostgreSQL makes a join of `EXISTS`, for which it may read the identities of all members.
    private static func mapping(of provider: Provider) -> SQL {
        """
        (SELECT i.idp FROM identities i WHERE i.user_id = m.user_id AND i.app_id = m.app_id AND i.idp = \(provider))
        """
    }

    /// The identity providers of members, the oldest mapping first.
    static func providers(of users: [UserID], app: AppID, in tx: Reader) throws -> [UserID: [Provider]] {
        guard !users.isEmpty else { return [:] }
        let rows = try tx.rows(identities(of: users, app: app)) { row in (try row[0] as UserID, try row[1] as Provider)
        }
        return rows.reduce(into: [:]) { found, row in found[row.0, default: []].append(row.1) }
    }

    /// Members whose ids begin like this, in the order of registration.
    static func users(beginningWith letters: String, app: AppID, limit: Int, in tx: Reader) throws -> [UserID] {
        try tx.rows(
            """
            SELECT user_id FROM members WHERE app_id = \(app) AND user_id >= \(letters) AND user_id < \(letters + TimeOrderedID.end)
            ORDER BY user_id LIMIT \(limit)
            """
        ) { row in try row[0] }
    }

    /// A member's identity of a provider.
    static func identity(_ provider: Provider, of user: UserID, app: AppID, in tx: Reader) throws -> IdentityKey? {
        try tx.first(
            "SELECT namespace, subject FROM identities WHERE user_id = \(user) AND app_id = \(app) AND idp = \(provider)"
        ) { row in IdentityKey(provider: provider, namespace: try row[0], subject: try row[1]) }
    }
}

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

// What the console shows of members whose next deadline is near or has passed.
extension MemberQueries {
    /// Members whose withdrawal is pending, in the order of their next deadlines.
    static func withdrawing(from app: AppID, limit: Int, in tx: Reader) throws -> [(user: UserID, at: Moment)] {
        try tx.rows(
            """
            SELECT user_id, withdraws_at FROM members
            WHERE due_at IS NOT NULL AND withdraws_at IS NOT NULL AND app_id = \(app) ORDER BY due_at, user_id LIMIT \(limit)
            """
        ) { row in (try row[0], try row[1]) }
    }

    /// The number of members whose deadline has passed before a moment, up to a limit.
    static func overdue(before moment: Moment, limit: Int, in tx: Reader) throws -> Int {
        let due: SQL = "SELECT user_id FROM members WHERE due_at IS NOT NULL AND due_at < \(moment) LIMIT \(limit)"
        return try tx.rows(due) { _ in true }.count
    }
}

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

/// Members whose user ids lie next to each other: a page of all.
struct UserRange: Sendable {
    /// The last one before; nil at the beginning.
    let after: UserID?
    let last: UserID

    /// The condition on a table's column `user_id`.
    var condition: SQL { "user_id > \(after ?? UserID("")) AND user_id <= \(last)" }
}

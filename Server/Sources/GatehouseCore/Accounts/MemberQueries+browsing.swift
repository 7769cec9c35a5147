import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

extension MemberQueries {
    /// The members that match, newest first. The inner statement bounds how many are looked at.
    static func browse(
        _ filter: MemberFilter, app: AppID, before: UserID?, limit: Int, lookingAt bound: Int, in tx: Reader
    ) throws -> [BrowseMembers.Row] {
        let status: SQL = if let status = filter.status { "AND m.status = \(status)" } else { "" }
        let has: SQL = if let provider = filter.has { "AND \(mapping(of: provider))" } else { "" }
        let lacks: SQL = if let provider = filter.lacks { "AND NOT \(mapping(of: provider))" } else { "" }
        return try tx.rows(
            """
            SELECT m.user_id, m.status, m.registered_at, m.last_login_at FROM (
                SELECT app_id, user_id, status, registered_at, last_login_at FROM members
                WHERE app_id = \(app) AND \(range(filter, before: before)) ORDER BY user_id DESC LIMIT \(bound)) m
            WHERE TRUE \(status) \(has) \(lacks) ORDER BY m.user_id DESC LIMIT \(limit)
            """
        ) { row in
            BrowseMembers.Row(
                user: try row[0], status: try row[1], registeredAt: try row[2], lastLoginAt: try row[3])
        }
    }

    /// The last member that ``browse(_:app:before:limit:lookingAt:in:)`` has looked at; nil if none follows it.
    static func lastLookedAt(
        _ filter: MemberFilter, app: AppID, before: UserID?, lookingAt bound: Int, in tx: Reader
    ) throws -> (user: UserID, registeredAt: Moment)? {
        let ids = try tx.rows(
            """
            SELECT user_id, registered_at FROM members
            WHERE app_id = \(app) AND \(range(filter, before: before)) ORDER BY user_id DESC LIMIT \(bound + 1)
            """
        ) { row in (user: try row[0] as UserID, registeredAt: try row[1] as Moment) }
        return ids.count > bound ? ids[bound - 1] : nil
    }

    /// User ids are in the order of registration.
    private static func range(_ filter: MemberFilter, before: UserID?) -> SQL {
        var end = before ?? UserID(TimeOrderedID.end)
        if let until = filter.until { end = UserID(min(end.rawValue, TimeOrderedID.firstUser(at: until).rawValue)) }
        let begin = filter.since.map { TimeOrderedID.firstUser(at: $0) } ?? UserID("")
        return "user_id >= \(begin) AND user_id < \(end)"
    }

    private static func mapping(of provider: Provider) -> SQL {
        """
        EXISTS (SELECT 1 FROM identities i WHERE i.user_id = m.user_id AND i.app_id = m.app_id AND i.idp = \(provider))
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

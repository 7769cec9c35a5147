import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// Everything that is stored about a member, for the person who asks for it.
public struct MemberExport: Sendable {
    public let user: UserID
    public let app: AppID
    public let exportedAt: Int64
    /// The rows of each table that has some, by table and column. Times are milliseconds since 1970, UTC.
    public let tables: [String: [[String: JSONValue]]]
    /// What identity providers have told about the person, by provider. Null where the master key doesn't open it.
    public let profiles: [String: JSONValue]
    /// What is stored and not exported, with the reason: `table` or `table.column`.
    public let leftOut: [String: String]
}

/// Reads everything that is stored about a member, but for credentials and for what is about other people. The log tells that it was
/// read.
package struct ExportMember: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.support

    let user: UserID

    package init(user: UserID) {
        self.user = user
    }

    /// - Throws: 3046 for an unknown member.
    package func perform(_ work: Work) async throws -> MemberExport {
        let (app, vault) = (work.app.id, work.services.vault)
        let found = try await work.services.database.report { tx in
            guard try MemberQueries.account(user, app: app, in: tx) != nil else { throw Refusal(.authNotExistMember) }
            var tables: [String: [[String: JSONValue]]] = [:]
            for table in ExportedTable.all {
                let rows = try table.rows(of: user, app: app, in: tx)
                if !rows.isEmpty { tables["\(table.name)"] = rows }
            }
            return (tables, try IdentityTokenRules.profiles(of: user, app: app, vault: vault, in: tx))
        }
        work.report(.exported, of: user)
        var profiles: [String: JSONValue] = [:]
        for (provider, profile) in found.1 { profiles[provider.rawValue] = profile.map { .object($0) } ?? .null }
        return MemberExport(
            user: user, app: app, exportedAt: work.moment.milliseconds, tables: found.0, profiles: profiles,
            leftOut: Self.leftOut)
    }

    private static let leftOut: [String: String] = {
        var reasons: [String: String] = [:]
        for (table, reason) in ExportedTable.leftOutTables { reasons["\(table)"] = reason }
        for table in ExportedTable.all {
            for (column, reason) in table.leftOut where reason != .identifiesRow {
                reasons["\(table.name).\(column)"] = reason.rawValue
            }
        }
        return reasons
    }()
}

/// Reads the rows of several members, as ``ExportMember`` does everything of one. The log tells of each member that it was read.
package struct ExportMembers: Action {
    package static let permission = ExportMember.permission
    package static let role = ExportMember.role

    private let users: [UserID]

    /// - Parameter text: the ids, as many as an action may have.
    package init(listedIn text: String) {
        // No id has a NUL, which no database takes.
        users = Array(UserID.list(text).filter { !$0.rawValue.utf8.contains(0) }.prefix(ActionTarget.mostMembers))
    }

    package struct Rows: Sendable {
        package let columns: [String]
        /// The values of each row, in the order of the columns. Times are milliseconds since 1970, UTC.
        package let rows: [[JSONValue]]
    }

    package func perform(_ work: Work) async throws -> Rows {
        let (app, users) = (work.app.id, users)
        let table = ExportedTable.members
        let columns = table.columns.map { "\($0)" }
        let found = try await work.report { tx in
            let rows = try users.compactMap { user in
                try table.rows(of: user, app: app, in: tx).first.map { row in (user: user, row: row) }
            }
            return (rows, try MemberQueries.providers(of: rows.map(\.user), app: app, in: tx))
        }
        for (user, _) in found.0 { work.report(.exported, of: user) }
        let rows = found.0.map { user, row in
            let providers = (found.1[user] ?? []).map(\.rawValue).joined(separator: " ")
            return columns.map { row[$0] ?? .null } + [.string(providers)]
        }
        return Rows(columns: columns + ["idp"], rows: rows)
    }
}

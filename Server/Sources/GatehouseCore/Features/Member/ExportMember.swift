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

import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Reads the rows of several members, as ``ExportMember`` does everything of one. The log tells of each member that it was read.
package struct ExportMembers: Action {
    package static let permission = ExportMember.permission
    package static let role = ExportMember.role

    private let users: [UserID]

    /// - Parameter text: the ids, as many as an action may have.
    package init(listedIn text: String) {
        // No id has a NUL, which no database takes.
        users = Array(UserID.list(text).filter { !$0.rawValue.utf8.contains(0) }.prefix(DeedTarget.mostMembers))
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

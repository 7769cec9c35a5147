import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads the newest bans that a filter leaves, for a file. The log tells of each member that it was read.
package struct ExportBans: Action {
    package static let permission = ExportMember.permission
    package static let role = ExportMember.role
    package static let mostBans = 1_000

    private let search: SearchBans

    package init(_ filter: SearchBans.Filter) {
        search = SearchBans(filter, before: nil, limit: Self.mostBans)
    }

    package func perform(_ work: Work) async throws -> [BanRecord] {
        let bans = try await search.perform(work).found
        var named: Set<UserID> = []
        for ban in bans where named.insert(ban.user).inserted { work.report(.exported, of: ban.user) }
        return bans
    }
}

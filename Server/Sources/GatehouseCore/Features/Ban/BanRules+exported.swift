import GatehouseStorage
import GatehouseWire

extension BanRules {
    /// The bans of a page of members, each member's oldest first.
    static func history(of users: UserRange, app: AppID, in tx: Reader) throws -> [UserID: [BanRecord]] {
        Dictionary(grouping: try BanQueries.bans(of: users, app: app, in: tx), by: \.user)
            .mapValues { bans in bans.sorted { ($0.beginsAt, $0.id) < ($1.beginsAt, $1.id) } }
    }
}

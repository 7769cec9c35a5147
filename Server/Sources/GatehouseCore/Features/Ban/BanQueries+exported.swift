import GatehouseStorage
import GatehouseWire

extension BanQueries {
    /// The bans of a page of members, whether they are over or not.
    static func bans(of users: UserRange, app: AppID, in tx: Reader) throws -> [BanRecord] {
        try tx.rows(
            """
            SELECT \(HoldQueries.banColumns) FROM bans b WHERE \(users.condition) AND b.app_id = \(app)
            """, HoldQueries.ban)
    }
}

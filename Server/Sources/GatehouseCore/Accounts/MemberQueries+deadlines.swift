import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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

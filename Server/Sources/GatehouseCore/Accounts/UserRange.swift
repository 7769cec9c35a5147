import GatehouseStorage
import GatehouseWire

/// Members whose user ids lie next to each other: a page of all.
struct UserRange: Sendable {
    /// The last one before; nil at the beginning.
    let after: UserID?
    let last: UserID

    /// The condition on a table's column `user_id`.
    var condition: SQL { "user_id > \(after ?? UserID("")) AND user_id <= \(last)" }
}

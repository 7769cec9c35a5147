import GatehouseStorage

extension [Migration] {
    /// What writes with `ifMissed` need.
    static var missedRows: [Migration] { Migration.all.filter { $0.number == 15 } }
}

import GatehouseStorage
import GatehouseWire

/// Lists the names of the operators who may see an app.
package struct ListOperatorNames: Report {
    /// Upper bound on the names.
    private static let limit = 1_000

    package init() {}

    func read(_ view: Viewpoint, in tx: Reader) throws -> [String] {
        try OperatorQueries.names(of: view.app.id, limit: Self.limit, in: tx)
    }
}

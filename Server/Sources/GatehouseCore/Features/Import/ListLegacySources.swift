import GatehouseStorage
import GatehouseWire

/// Lists the systems that players may come from, or have come from.
package struct ListLegacySources: Report {
    package init() {}

    func read(_ view: Viewpoint, in tx: Reader) throws -> [LegacySource] {
        try LegacySourceQueries.sources(of: view.app.id, in: tx)
    }
}

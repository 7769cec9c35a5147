import GatehouseStorage
import GatehouseWire

/// Lists the texts for banned players, in the order of their codes.
package struct ListBanTemplates: Report {
    package init() {}

    func read(_ view: Viewpoint, in tx: Reader) throws -> [BanTemplate] {
        try BanQueries.templates(of: view.app.id, in: tx)
    }
}

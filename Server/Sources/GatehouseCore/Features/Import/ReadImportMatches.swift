import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Reads how the logins of the last 24 hours have gone, of providers whose identities imports have brought.
package struct ReadImportMatches: Report {
    package init() {}

    func read(_ view: Viewpoint, in tx: Reader) throws -> [ImportMatch] {
        let imported = try ImportRules.importedIdentities(of: view.app.id, at: view.moment, in: tx)
        guard !imported.isEmpty else { return [] }
        let hours = NumberRange(last: 24, .hour, until: view.moment, in: view.app.zone)
        return ImportMatch.all(imported, try ReadNumbers(range: hours).read(view, in: tx))
    }
}

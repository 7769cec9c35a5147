import GatehouseCore
import GatehouseSecurity
import Hummingbird

// What the lists of the console share.
extension Visit {
    var rows: Int { person.preferences.rows }

    /// The last row of the page before, as the address has it.
    var after: String? { query["after"].map { String($0.prefix(64)) } }

    /// Links that remove one filter each.
    func chips(_ filters: [(name: String, label: String)]) -> [Link] {
        filters.compactMap { name, label in
            guard let value = query[name] else { return nil }
            return Link("\(label): \(value.prefix(60))", address(without: name))
        }
    }

    /// The same address without a filter, from the first page on.
    private func address(without name: String) -> String {
        address(with: [name: nil, "after": nil])
    }

    /// Gives a table its links to the pages before and after.
    func paged(_ table: Table, next: String?) -> Table {
        var table = table
        if let next { table.older = address(with: "after", next) }
        if after != nil { table.newer = address(with: "after", nil) }
        return table
    }

    /// Links to deeds that the person may do.
    func links(_ deeds: [(name: String, fields: [String: String])], style: String? = nil) -> [Link] {
        deeds.compactMap { offer($0.name, $0.fields, style: style) }
    }

    /// The same for a row, in few words, so that the table fits.
    func rowLinks(_ deeds: [(name: String, fields: [String: String])]) -> [Link] {
        deeds.compactMap { offer($0.name, $0.fields, text: words.optional("row.\($0.name)")) }
    }
}

import GatehouseCore

/// The orders of the list of members, which the database sorts page by page.
extension Visit {
    private static let sortable: [(column: String, key: MemberOrder.Key)] = [
        ("members.made", .registration), ("members.last-login", .lastLogin),
    ]

    /// The order that the address names, as in the lists that ``sorted(_:)`` sorts: a column, with a minus before it for the latest first.
    var memberOrder: MemberOrder {
        for (column, key) in Self.sortable {
            if query["sort"] == column { return MemberOrder(key, isAscending: true) }
            if query["sort"] == "-\(column)" { return MemberOrder(key, isAscending: false) }
        }
        return .newest
    }

    /// Makes the headings by which the list can be sorted links. Each leads to the first page, and of a new column the latest comes first.
    func ordered(_ table: Table, _ order: MemberOrder) -> Table {
        var table = table
        for (name, key) in Self.sortable {
            guard let place = table.columns.firstIndex(where: { $0.name == name }) else { continue }
            let isChosen = key == order.key
            let next = MemberOrder(key, isAscending: isChosen && !order.isAscending)
            if isChosen { table.columns[place].order = order.isAscending ? .ascending : .descending }
            // The usual order has one address, without a word of it.
            let sort = next == .newest ? nil : next.isAscending ? name : "-\(name)"
            table.columns[place].sort = address(with: ["sort": sort, "before": nil, "from": nil])
        }
        return table
    }
}

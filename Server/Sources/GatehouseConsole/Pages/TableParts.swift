import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

// What a page gives its tables: see ``Table``.
extension Visit {
    /// Columns by the keys of their headings.
    func columns(_ keys: [String]) -> [Column] { keys.map { Column(words($0), name: $0) } }

    /// The table of a list whose columns the reader chooses.
    ///
    /// - Parameter left: columns that this view of the list does not have.
    func listed(
        _ list: ChosenList, _ caption: String, without left: Set<String> = [], _ rows: [TableRow], empty: String
    ) -> Table {
        var table = Table(caption, columns(list.columns.filter { !left.contains($0) }), rows, empty: empty)
        let hidden = Set(person.preferences.hiddenColumns?[list.rawValue] ?? [])
        table.choice = choice(of: list, table.columns, hidden)
        table.hide(hidden)
        return table
    }

    /// Sorts a list that is whole in memory by the column that the address names, with a minus before it for the other way round, and makes
    /// its headings links.
    func sorted(_ table: Table) -> Table {
        var table = table
        let chosen = query["sort"] ?? ""
        for (place, column) in table.columns.enumerated() {
            guard let name = column.name else { continue }
            table.columns[place].sort = address(with: "sort", chosen == name ? "-\(name)" : name)
            if chosen == name { table.sort(by: place, .ascending) }
            if chosen == "-\(name)" { table.sort(by: place, .descending) }
        }
        return table
    }

    /// Gives a table its links to the pages before and after.
    func paged(_ table: Table, next: String?, field: String = "after", mark: String = "") -> Table {
        var table = table
        (table.field, table.mark) = (field, mark)
        table.pager = pager(next: next, field: field, mark: mark, count: table.rows.count)
        return table
    }

    /// The links to the pages before and after.
    ///
    /// - Parameters:
    ///   - next: the last row of this page, if there are more.
    ///   - field: the field of the address with the last row of the page before.
    ///   - count: how many rows this page has; nil if they are not counted.
    func pager(next: String?, field: String = "after", mark: String = "", count: Int? = nil) -> Pager {
        // Only the pages before this one know where it begins, so the address says it.
        let begin = query[field] == nil ? 1 : query["from"].flatMap { Int($0) }.map { min(max($0, 1), 100_000_000) }
        let after = begin.flatMap { begin in count.map { begin + $0 } }
        let older = next.map { address(with: [field: $0, "from": after.map { String($0) }]) + mark }
        let newer = query[field].map { _ in address(with: [field: nil, "from": nil]) + mark }
        var pager = Pager(older: older, newer: newer, words: words)
        if let begin, let after, after > begin {
            let values = [
                "first": Words.number(begin), "last": Words.number(after - 1), "count": Words.number(after - 1),
            ]
            pager.range = words(next == nil ? "frame.range-of" : "frame.range", values)
        }
        return pager
    }

    /// A member in a list. On hover and focus the script shows a card of it.
    func member(_ user: UserID) -> Cell { .code(user.rawValue, link: memberLink(user)) }

    /// The form that chooses the columns of a list, if the address asks for it, and else the link to it: it would be a part of every page.
    private func choice(of list: ChosenList, _ columns: [Column], _ hidden: Set<String>) -> HTML {
        guard query.isSet("columns") else {
            return p(.class("choose")) { Link(words("frame.columns"), address(with: "columns", "1") + "#columns") }
        }
        return details(.class("choose"), .id("columns"), .open(if: true)) {
            summary { words("frame.columns") }
            changing("\(Console.prefix)/me/columns") {
                self.hidden("list", list.rawValue)
                self.hidden("back", address(with: "columns", nil))
                for column in columns.dropFirst() {
                    label(.class("check")) {
                        input(
                            .type("checkbox"), .name("show"), .value(column.name ?? ""),
                            .checked(if: !hidden.contains(column.name ?? "")))
                        " \(column.title)"
                    }
                }
                button { words("frame.columns-show") }
                " "
                button(.name("reset"), .value("1")) { words("frame.columns-all") }
            }
        }
    }
}

extension Console {
    static func addColumns(to pages: Pages) {
        pages.serverForm("/me/columns", as: nil) { visit, form in
            if let list = form["list"].flatMap(ChosenList.init) {
                let shown = Set((form["show"] ?? "").parts(at: "\n").map(String.init))
                let hidden = form.isSet("reset") ? [] : list.columns.dropFirst().filter { !shown.contains($0) }
                var preferences = visit.person.preferences
                preferences.hide(hidden, of: list.rawValue)
                if preferences != visit.person.preferences {
                    try await visit.run(SetOperatorPreferences(of: visit.person, preferences, from: visit.visitor))
                }
            }
            return Console.redirect(to: Console.local(form["back"] ?? ""))
        }
    }
}

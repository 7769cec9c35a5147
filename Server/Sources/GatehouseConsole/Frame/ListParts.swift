import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

// What the lists of the console share.
extension PageRequest {
    /// How many rows a list has at most. A page with more than these would be too heavy, and too long to read.
    static let rowChoices = [25, 50]

    var rows: Int { min(max(person.preferences.rows, 1), Self.rowChoices.last ?? 25) }

    /// The last row of the page before, as the address has it.
    var after: String? { query["after"].map { String($0.prefix(64)) } }

    /// What a list says whose search has ended at its bound.
    func stopped(_ key: String = "list.stopped", at moment: Moment?) -> String? {
        moment.map {
            words(key, ["count": Words.number(BoundedSearch<Never>.bound), "moment": local.absolute($0)])
        }
    }

    /// Links that remove one filter each.
    func chips(_ filters: [(name: String, label: String)]) -> [Link] {
        filters.compactMap { name, label in
            guard let value = query[name] else { return nil }
            return Link("\(label): \(value.prefix(60))", address(without: name))
        }
    }

    /// The same address without a filter, from the first page on.
    private func address(without name: String) -> String {
        address(with: [name: nil, "after": nil, "from": nil])
    }

    /// Links to actions that the person may do.
    func links(_ actions: [(any OperatorAction.Type, fields: [String: String])], style: String? = nil) -> [Link] {
        actions.compactMap { offer($0.0, $0.fields, style: style) }
    }

    /// The same for a row, in few words, so that the table fits.
    func rowLinks(_ actions: [(any OperatorAction.Type, fields: [String: String])]) -> [Link] {
        actions.compactMap { offer($0.0, $0.fields, text: words.optional("row.\($0.0.about.name)")) }
    }

    // MARK: Markup

    /// A page that is a list.
    func showList(
        _ page: Page, _ table: Table, intro: String? = nil, filters: [Field] = [], chips: [Link] = []
    ) -> Response {
        show(page, table) { table in
            if let intro { p { intro } }
            if !filters.isEmpty { self.filters(filters, to: request.uri.path) }
            removable(chips)
            table
        }
    }

    /// A form that shows the same page with other fields in its address.
    func filters(_ fields: [Field], to address: String, button name: String? = nil) -> HTML {
        form(.class("filters"), .get, .action(address)) {
            all(fields)
            if let sort = query["sort"] { hidden("sort", sort) }
            if place == nil, let app = frameApp?.id { hidden(Self.formerApp, app.rawValue) }
            button { name ?? words("frame.filter") }
        }
    }

    /// A part of a page, with the key of its heading.
    func card(_ heading: String, id: String? = nil, @HTMLBuilder _ content: () -> HTML) -> HTML {
        section(.class("card"), .id(id)) {
            h2 { words(heading) }
            content()
        }
    }

    /// What stands in the place of a list without rows.
    func empty(_ key: String) -> HTML { p(.class("empty")) { words(key) } }

    /// The filters that are set, each with the link that removes it.
    @HTMLBuilder func removable(_ filters: [Link]) -> HTML {
        if !filters.isEmpty {
            ul(.class("chips")) {
                for filter in filters {
                    li {
                        a(.href(filter.address)) {
                            "\(filter.text) "
                            span(.ariaHidden) { "×" }
                        }
                    }
                }
            }
        }
    }

    /// Links from which one is chosen.
    func choices(_ links: [Link]) -> HTML {
        ul(.class("chips")) {
            for link in links { li { link } }
        }
    }
}

// What a page gives its tables: see ``Table``.
extension PageRequest {
    /// Columns by the keys of their headings.
    func columns(_ keys: [String]) -> [Column] { keys.map { Column(words($0), name: $0) } }

    /// The table of a list.
    ///
    /// - Parameters:
    ///   - left: columns that this view of the list does not have.
    ///   - complete: gives a row what it has beside its cells.
    func table<Row>(
        of list: ChosenList<Row>, _ caption: String, without left: Set<String> = [], _ rows: [Row], empty: String,
        row complete: (Row, inout TableRow) -> Void
    ) -> Table {
        let shown = list.columns.filter { !left.contains($0.name) }
        let rows = rows.map { element in
            var row = TableRow(shown.map { $0.cell(self, element) })
            complete(element, &row)
            return row
        }
        return Table(caption, columns(shown.map(\.name)), rows, empty: empty)
    }

    /// The same with the columns that the reader has chosen, and the form that chooses them.
    func listed<Row>(
        _ list: ChosenList<Row>, _ caption: String, without left: Set<String> = [], _ rows: [Row], empty: String,
        row complete: (Row, inout TableRow) -> Void
    ) -> Table {
        var table = table(of: list, caption, without: left, rows, empty: empty, row: complete)
        let hidden = Set(person.preferences.hiddenColumns?[list.name] ?? [])
        table.choice = choice(of: list.name, table.columns, hidden)
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
    private func choice(of list: String, _ columns: [Column], _ hidden: Set<String>) -> HTML {
        guard query.isSet("columns") else {
            return p(.class("choose")) { Link(words("frame.columns"), address(with: "columns", "1") + "#columns") }
        }
        return details(.class("choose"), .id("columns"), .open(if: true)) {
            summary { words("frame.columns") }
            changing("\(Console.prefix)/me/columns") {
                self.hidden("list", list)
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
    /// The columns of each list whose columns are chosen.
    static let chosenColumns = [
        memberColumns.name: memberColumns.columns.map(\.name), banColumns.name: banColumns.columns.map(\.name),
        auditColumns.name: auditColumns.columns.map(\.name), jobColumns.name: jobColumns.columns.map(\.name),
    ]

    static func addColumns(to pages: Pages) {
        pages.serverForm("/me/columns", as: nil) { page, form in
            if let list = form["list"], let columns = Console.chosenColumns[list] {
                let shown = Set((form["show"] ?? "").parts(at: "\n").map(String.init))
                let hidden = form.isSet("reset") ? [] : columns.dropFirst().filter { !shown.contains($0) }
                var preferences = page.person.preferences
                preferences.hide(hidden, of: list)
                if preferences != page.person.preferences {
                    try await page.run(SetOperatorPreferences(of: page.person, preferences, from: page.visitor))
                }
            }
            return Console.redirect(to: Console.local(form["back"] ?? ""))
        }
    }
}

/// A list whose columns a person may choose. The choice is one of the person's preferences.
struct ChosenList<Row>: Sendable {
    /// A column with what stands in it.
    struct Column: Sendable {
        /// The key of its heading, which is its name in an address and in a person's preferences.
        let name: String
        let cell: @Sendable (PageRequest, Row) -> Cell

        init(_ name: String, cell: @escaping @Sendable (PageRequest, Row) -> Cell) {
            self.name = name
            self.cell = cell
        }
    }

    let name: String
    /// The first is always shown.
    let columns: [Column]
}

/// The links to the pages of a list before and after this one, and which of its rows this one has.
struct Pager: Sendable, HTMLPart, Markup {
    var older: String?
    var newer: String?
    /// `26–50`, or `26–43 of 43` where the number of all rows is known.
    var range: String?
    let words: Words

    @HTMLBuilder var html: HTML {
        if older != nil || newer != nil {
            nav(.class("pages"), .ariaLabel(words("frame.pages"))) {
                if let newer { a(.class("button"), .rel("prev"), .href(newer)) { words("frame.newer") } }
                " "
                if let older { a(.class("button"), .rel("next"), .href(older)) { words("frame.older") } }
                if let range {
                    " "
                    span(.class("small")) { range }
                }
            }
        }
    }
}

import GatehouseCore
import GatehouseHTML
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
        table.pager = pager(next: next)
        return table
    }

    /// The links to the pages before and after.
    ///
    /// - Parameters:
    ///   - next: the last row of this page, if there are more.
    ///   - field: the field of the address with the last row of the page before.
    func pager(next: String?, field: String = "after", mark: String = "") -> Pager {
        Pager(
            older: next.map { address(with: field, $0) + mark },
            newer: query[field].map { _ in address(with: field, nil) + mark }, words: words)
    }

    /// Links to deeds that the person may do.
    func links(_ deeds: [(name: String, fields: [String: String])], style: String? = nil) -> [Link] {
        deeds.compactMap { offer($0.name, $0.fields, style: style) }
    }

    /// The same for a row, in few words, so that the table fits.
    func rowLinks(_ deeds: [(name: String, fields: [String: String])]) -> [Link] {
        deeds.compactMap { offer($0.name, $0.fields, text: words.optional("row.\($0.name)")) }
    }

    // MARK: Markup

    /// A page that is a list.
    func showList(
        _ page: Page, _ table: Table, intro: String? = nil, filters: [Field] = [], chips: [Link] = []
    ) -> Response {
        show(page) {
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

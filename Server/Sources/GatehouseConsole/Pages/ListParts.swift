import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

// What the lists of the console share.
extension Visit {
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

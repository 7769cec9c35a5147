import GatehouseHTML

/// A column of a table.
struct Column: Sendable {
    let title: String
    /// Its name in an address and in a person's preferences: the key of its heading. Nil for one that can't be chosen or sorted by.
    var name: String?
    /// The link that sorts by it; nil where that is not cheap.
    var sort: String?
    /// Whether the rows are sorted by it.
    var order: Order?

    enum Order: String, Sendable {
        case ascending, descending
    }

    init(_ title: String, name: String? = nil) {
        self.title = title
        self.name = name
    }
}

extension Column: HTMLPart, Markup {
    var html: HTML {
        th(Attribute("scope", "col"), Attribute("aria-sort", order?.rawValue)) {
            if let sort {
                a(.href(sort)) { self.title }
            } else {
                self.title
            }
        }
    }
}

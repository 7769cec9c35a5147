import GatehouseHTML

/// One thing that was found: a link with its state, and what tells it from others.
struct FindRow: Sendable {
    var title: Cell
    let address: String
    var state: Cell?
    var notes: [String] = []
    /// Whether it is what was typed, and leads there at once if nothing else was found.
    var isExact = false
    /// Whether it is the change that was asked for, and leads there at once whatever else was found.
    var isMeant = false
}

/// Things of one kind that were found.
struct FindGroup: Sendable {
    /// The key of its heading.
    let heading: String
    var rows: [FindRow]
}

/// What was found, as a page and as the part that the palette shows.
struct FindResult: HTMLPart, Markup {
    let groups: [FindGroup]
    let empty: String
    let words: Words

    init(_ groups: [FindGroup], empty: String, _ words: Words) {
        self.groups = groups.filter { !$0.rows.isEmpty }
        self.empty = empty
        self.words = words
    }

    private var rows: [FindRow] { groups.flatMap(\.rows) }

    /// Where the change that was asked for leads, or the only thing that was typed exactly.
    var only: String? {
        rows.first(where: \.isMeant)?.address ?? (rows.count == 1 ? rows.first { $0.isExact }?.address : nil)
    }

    /// How many things there are, as it is announced.
    private var count: String { rows.isEmpty ? empty : words("find.count", ["count": Words.number(rows.count)]) }

    var html: HTML {
        div(.class("found"), Attribute("data-count", count)) {
            if rows.isEmpty { p(.class("empty")) { empty } }
            for group in groups {
                h2 { words(group.heading) }
                ul {
                    for row in group.rows { li { self.row(row) } }
                }
            }
        }
    }

    private func row(_ row: FindRow) -> HTML {
        a(.href(row.address)) {
            row.title
            if let state = row.state {
                " "
                state
            }
            if !row.notes.isEmpty {
                " "
                small {
                    for (index, note) in row.notes.enumerated() {
                        if index > 0 { " · " }
                        bdi { note }
                    }
                }
            }
        }
    }
}

import GatehouseHTML
import GatehouseSecurity

/// A value as a page shows it: in a table, in a list of facts, or in a sentence.
struct Cell: Sendable {
    var text: String
    /// Where it leads.
    var link: String?
    /// The style of a state: `good`, `warn`, `bad` or `plain`. A state has a word besides its colour.
    var badge: String?
    /// The moment for programs, and the same in UTC for the hover.
    var time: (machine: String, universal: String)?
    /// What stands behind it in small print.
    var note: String?
    /// Whether it is an id, in letters of one width, which can be copied.
    var isCode = false

    init(_ text: String, link: String? = nil, badge: String? = nil, note: String? = nil) {
        self.text = text
        self.link = link
        self.badge = badge
        self.note = note
    }

    static func code(_ text: String, link: String? = nil) -> Cell {
        var cell = Cell(text, link: link)
        cell.isCode = true
        return cell
    }

    static func time(_ moment: Moment?, _ local: LocalTime) -> Cell {
        guard let moment else { return Cell("–") }
        var cell = Cell(local.absolute(moment))
        cell.time = (local.machine(moment), local.universal(moment))
        cell.note = local.relative(moment)
        return cell
    }

    /// A sentence, which would have a word on each line in a narrow column.
    var isLong: Bool { !isCode && badge == nil && time == nil && text.utf8.count > 24 }
}

extension Cell: HTMLPart {
    var html: HTML { CellMarkup(cell: self).html }
}

/// The markup of a cell. A cell has no elements for methods itself, because its `code` and its `time` are cells.
private struct CellMarkup: Markup {
    let cell: Cell

    @HTMLBuilder var html: HTML {
        if let badge = cell.badge {
            span(.class("badge", badge)) { linked }
        } else {
            linked
        }
        if let note = cell.note {
            " "
            small { note }
        }
    }

    @HTMLBuilder private var linked: HTML {
        if let address = cell.link {
            a(.href(address)) { value }
        } else {
            value
        }
    }

    @HTMLBuilder private var value: HTML {
        if let time = cell.time {
            HTML.element("time", Attribute("datetime", time.machine), .title(time.universal)) {
                // A narrow column may break between the day and the time, and nowhere else.
                String(cell.text[..<endOfDay])
                wbr
                String(cell.text[endOfDay...])
            }
        } else if cell.isCode {
            code { text }
        } else {
            text
        }
    }

    @HTMLBuilder private var text: HTML {
        if cell.badge == nil {
            bdi { cell.text }
        } else {
            cell.text
        }
    }

    private var endOfDay: String.Index { cell.text.utf8.firstIndex(of: UInt8(ascii: " ")) ?? cell.text.endIndex }
}

/// A label with its value.
struct Fact: Sendable {
    let label: String
    let value: Cell

    init(_ label: String, _ value: Cell) {
        self.label = label
        self.value = value
    }
}

/// Labels with their values, as a list.
struct Facts: HTMLPart, Markup {
    let facts: [Fact]

    init(_ facts: [Fact]) {
        self.facts = facts
    }

    var html: HTML {
        dl(.class("facts")) {
            for fact in facts {
                dt { fact.label }
                dd { fact.value }
            }
        }
    }
}

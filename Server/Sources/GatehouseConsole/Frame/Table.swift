import GatehouseHTML
import GatehousePlatform
import HTTPTypes
import Hummingbird
import NIOCore

/// A row of a table.
struct TableRow: Sendable {
    var cells: [Cell]
    /// Links of what can be done with the row. The first is shown, and the rest are in a menu.
    var actions: [Link] = []
    /// Its place in an address.
    var id: String?
    /// What an address says of the page after it.
    var place: String?
    /// What its box sends when it is selected.
    var value: String?

    init(_ cells: [Cell], actions: [Link] = []) {
        self.cells = cells
        self.actions = actions
    }

    /// Whether it has something that takes the focus.
    fileprivate var hasControl: Bool {
        value != nil || !actions.isEmpty || cells.contains { $0.link != nil || $0.content != nil }
    }
}

/// What can be done with the rows that a reader selects.
struct Selection: Sendable {
    /// The field that has the values of the selected rows.
    let field: String
    /// The label of the box for all rows, which the script adds.
    let all: String
    let actions: [Link]
}

/// A table with a caption, and what it says when it is empty.
///
/// On a wide screen each row of a list takes one line: what is longer is cut, with the whole in its title. On a phone, and where the lines
/// have no room, the script makes each row a card with the headings as labels; without it the table scrolls.
/// A page of a list makes one like this:
///
/// 1. `listed(Console.jobColumns, caption, rows, empty:row:)` of ``PageRequest`` makes the table of a ``ChosenList``: its columns, less those that
///    the reader has hidden, and the form that chooses them. A short list is a `Table(caption, columns(keys), rows, empty:)`.
/// 2. `sorted(_:)` sorts a list that is whole in memory as the address says.
/// 3. `paged(_:next:)` gives it the links to the pages before and after, and the range of its rows. Each row has a `place`, after which the
///    next page goes on, and `show(_:_:)` shows as many rows as a page may weigh.
///
/// Set ``wraps`` on a table of sentences, such as that of settings, whose cells are read in full.
struct Table: Sendable {
    var caption: String
    var columns: [Column]
    var rows: [TableRow]
    var empty: String
    var pager: Pager?
    /// The field of an address that says where its next page begins; nil for a list that has one page.
    var field: String?
    /// Where on the page it is, as an address has it.
    var mark = ""
    /// Whether texts go on in the next line instead of being cut.
    var wraps = false
    /// The form that chooses the columns.
    var choice: HTML?
    var selection: Selection?

    init(_ caption: String, _ columns: [String], _ rows: [TableRow], empty: String) {
        self.init(caption, columns.map { Column($0) }, rows, empty: empty)
    }

    init(_ caption: String, _ columns: [Column], _ rows: [TableRow], empty: String) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.empty = empty
    }

    /// Whether some row has actions. Then all rows and the header have a cell for them, so that the lines are equally long.
    private var hasActions: Bool { rows.contains { !$0.actions.isEmpty } }

    /// The same for sentences, which are read in full.
    var wrapping: Table {
        var table = self
        table.wraps = true
        return table
    }

    /// Room for the link to the next page, which the page may not have yet.
    private static let linkBytes = 400

    /// Removes as many rows from its end as have so many bytes, so that its next page begins with them. The first always stays. False if
    /// there are none to remove, or if no page could begin with them.
    mutating func cut(_ bytes: Int) -> Bool {
        guard bytes > 0, rows.count > 1, field != nil, rows.allSatisfy({ $0.place != nil }) else { return false }
        remove(bytes + Self.linkBytes)
        return true
    }

    /// Leaves out the rows behind those that have so many bytes together. The first always stays. False if all stay.
    mutating func limit(to bytes: Int) -> Bool {
        let count = rows.count
        remove(rows.enumerated().reduce(-bytes) { $0 + row($1.element, $1.offset).bytes.count })
        return rows.count < count
    }

    private mutating func remove(_ bytes: Int) {
        var left = bytes
        while left > 0, rows.count > 1, let last = rows.last {
            left -= row(last, rows.count - 1).bytes.count
            rows.removeLast()
        }
    }

    /// Removes columns. The first always stays.
    mutating func hide(_ names: Set<String>) {
        let kept = columns.indices.filter { $0 == 0 || !(columns[$0].name.map(names.contains) ?? false) }
        guard kept.count < columns.count else { return }
        columns = kept.map { columns[$0] }
        for row in rows.indices {
            let cells = rows[row].cells
            rows[row].cells = kept.filter(cells.indices.contains).map { cells[$0] }
        }
    }

    /// Sorts the rows by a column. Equal rows stay in their order.
    mutating func sort(by column: Int, _ order: Column.Order) {
        guard columns.indices.contains(column) else { return }
        columns[column].order = order
        let sorted = rows.enumerated().sorted { one, other in
            guard one.element.cells.indices.contains(column), other.element.cells.indices.contains(column) else {
                return one.offset < other.offset
            }
            let (first, second) = (one.element.cells[column].order, other.element.cells[column].order)
            if first == second { return one.offset < other.offset }
            return (first < second) == (order == .ascending)
        }
        rows = sorted.map(\.element)
    }
}

extension Table: HTMLPart, Markup {
    @HTMLBuilder var html: HTML {
        if rows.isEmpty {
            p(.class("empty")) { empty }
        } else if let selection, let first = selection.actions.first {
            form(.class("pick"), .get, .action(first.address), Attribute("data-all", selection.all)) {
                grid
                div(.class("buttons")) {
                    for action in selection.actions {
                        button(.class(action.style), Attribute("formaction", action.address)) { action.text }
                    }
                }
            }
        } else {
            grid
        }
        if let pager { pager }
        if let choice, !rows.isEmpty { choice }
    }

    private var grid: HTML {
        scroll(self.caption, style: wraps ? "rows" : "rows list") {
            table {
                caption { self.caption }
                thead {
                    tr {
                        for column in columns { column }
                        if hasActions { td {} }
                    }
                }
                tbody { for (number, row) in rows.enumerated() { self.row(row, number) } }
            }
        }
    }

    private func row(_ row: TableRow, _ number: Int) -> HTML {
        let focused = row.hasControl ? nil : row.cells.firstIndex { $0.time != nil }
        return tr(.id(row.id)) {
            for (place, cell) in row.cells.enumerated() {
                self.cell(cell, at: place, of: row, hasFocus: place == focused)
            }
            if hasActions {
                td(.class("actions")) {
                    RowMenu(actions: row.actions, id: "\(menus)-\(number)", isInForm: selection != nil)
                }
            }
        }
    }

    @HTMLBuilder private func cell(_ cell: Cell, at place: Int, of row: TableRow, hasFocus: Bool) -> HTML {
        if cell.isNone {
            td { cell.text }
        } else {
            let isCut = !wraps && cell.isLong
            td(.class(isCut ? "long" : nil), Attribute("title", isCut ? cell.whole : nil)) {
                if place == 0, let value = row.value, let selection {
                    input(.type("checkbox"), .name(selection.field), .value(value), .ariaLabel(value))
                    " "
                }
                cell.inRow(hasFocus: hasFocus)
            }
        }
    }

    /// The beginning of the ids of its menus. Tables of one page have different captions.
    private var menus: String {
        let sum = caption.utf8.reduce(UInt32(2_166_136_261)) { ($0 ^ UInt32($1)) &* 16_777_619 }
        return "m" + String(sum % 46_656, radix: 36)
    }
}

extension Markup {
    /// What is wider than a narrow window, and is then moved by itself.
    func scroll(_ label: String, style: String? = nil, @HTMLBuilder _ content: () -> HTML) -> HTML {
        div(.class("scroll", style), .tabindex(0), .role("region"), .ariaLabel(label), content: content)
    }
}

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

/// A table as a file for spreadsheets (RFC 4180), with a byte order mark, by which Excel knows its encoding.
struct CSV {
    private(set) var text = "\u{feff}"

    mutating func append(_ cells: [String]) {
        text += cells.joined(separator: ",") + "\r\n"
    }

    /// A cell with a text. No text can be a formula: one that could begin it gets an apostrophe. A spreadsheet looks at code points, so a
    /// sign or a quotation mark counts as such whatever mark follows it.
    static func cell(_ text: String) -> String {
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace && !invisible.contains($0) }
        let begins = text.unicodeScalars.first.map(breaks.contains) ?? false
        let isFormula = begins || (first.map(signs.contains) ?? false)
        return "\"\((isFormula ? "'" + text : text).substituting("\"", by: "\"\""))\""
    }

    private static let breaks: Set<Unicode.Scalar> = ["\t", "\r", "\n"]
    /// Japanese and Chinese settings take the full-width forms for the same signs.
    private static let signs: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "|", "%", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "\u{ff5c}", "\u{ff05}",
        "\u{2212}",
    ]
    /// What stands before a sign without being seen.
    private static let invisible: Set<Unicode.Scalar> = [
        "\u{feff}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{0}",
    ]
}

extension Console {
    /// The answer that a browser keeps as a file.
    static func file(_ file: CSV, named name: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: .init(byteBuffer: ByteBuffer(string: file.text)))
    }
}

import GatehouseHTML

/// A row of a table.
struct TableRow: Sendable {
    var cells: [Cell]
    /// Links of what can be done with the row.
    var actions: [Link] = []

    init(_ cells: [Cell], actions: [Link] = []) {
        self.cells = cells
        self.actions = actions
    }
}

/// A table with a caption, and what it says when it is empty.
struct Table: Sendable {
    var caption: String
    var columns: [String]
    var rows: [TableRow]
    var empty: String
    var pager: Pager?

    init(_ caption: String, _ columns: [String], _ rows: [TableRow], empty: String) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.empty = empty
    }

    /// Whether some row has actions. Then all rows and the header have a cell for them, so that the lines are equally long.
    private var hasActions: Bool { rows.contains { !$0.actions.isEmpty } }
}

extension Table: HTMLPart, Markup {
    @HTMLBuilder var html: HTML {
        if rows.isEmpty {
            p(.class("empty")) { empty }
        } else {
            scroll(self.caption) {
                table {
                    caption { self.caption }
                    thead {
                        tr {
                            headers(columns)
                            if hasActions { td {} }
                        }
                    }
                    tbody { for row in rows { self.row(row) } }
                }
            }
        }
        if let pager { pager }
    }

    private func row(_ row: TableRow) -> HTML {
        tr {
            for cell in row.cells { td(.class(cell.isLong ? "long" : nil)) { cell } }
            if hasActions {
                td(.class("actions")) {
                    for action in row.actions {
                        action
                        " "
                    }
                }
            }
        }
    }
}

extension Markup {
    /// What is wider than a narrow window, and is then moved by itself.
    func scroll(_ label: String, @HTMLBuilder _ content: () -> HTML) -> HTML {
        div(.class("scroll"), .tabindex(0), .role("region"), .ariaLabel(label), content: content)
    }

    @HTMLBuilder func headers(_ columns: [String]) -> HTML {
        for column in columns { th(Attribute("scope", "col")) { column } }
    }
}

/// The links to the pages of a list before and after this one.
struct Pager: Sendable, HTMLPart, Markup {
    var older: String?
    var newer: String?
    let words: Words

    @HTMLBuilder var html: HTML {
        if older != nil || newer != nil {
            nav(.class("pages"), .ariaLabel(words("frame.pages"))) {
                if let newer { a(.class("button"), .rel("prev"), .href(newer)) { words("frame.newer") } }
                " "
                if let older { a(.class("button"), .rel("next"), .href(older)) { words("frame.older") } }
            }
        }
    }
}

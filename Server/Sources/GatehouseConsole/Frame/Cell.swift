import GatehouseSecurity

/// A value as a page shows it: in a table, in a list of facts, or in a sentence.
struct Cell: Sendable, MustacheParent {
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

    private var endOfDay: String.Index { text.utf8.firstIndex(of: UInt8(ascii: " ")) ?? text.endIndex }

    func child(named name: String) -> Any? {
        switch name {
        case "text": text
        // A section looks further up for what is nil, so what is missing here is false.
        case "link": link ?? false
        case "badge": badge ?? false
        case "machine": time?.machine ?? false
        case "universal": time?.universal
        // A narrow column may break between the day and the time, and nowhere else.
        case "day": String(text[..<endOfDay])
        case "hour": String(text[endOfDay...])
        case "note": note ?? false
        case "isCode": isCode
        // A sentence in a narrow column would have a word on each line.
        case "isLong": !isCode && badge == nil && time == nil && text.utf8.count > 24
        default: nil
        }
    }
}

/// A row of a table.
struct TableRow: Sendable, MustacheParent {
    var cells: [Cell]
    /// Links of what can be done with the row.
    var actions: [Link] = []

    init(_ cells: [Cell], actions: [Link] = []) {
        self.cells = cells
        self.actions = actions
    }

    func child(named name: String) -> Any? {
        switch name {
        case "cells": cells
        case "actions": actions
        case "hasActions": !actions.isEmpty
        default: nil
        }
    }
}

extension TableRow {
    /// A row of a table in which some row has actions, or none.
    struct InTable: MustacheParent {
        let row: TableRow
        let hasActions: Bool

        func child(named name: String) -> Any? { name == "hasActions" ? hasActions : row.child(named: name) }
    }
}

/// A table with a caption, and what it says when it is empty.
struct Table: Sendable, MustacheParent {
    var caption: String
    var columns: [String]
    var rows: [TableRow]
    var empty: String
    /// The address of the older and the newer page.
    var older: String?
    var newer: String?

    init(_ caption: String, _ columns: [String], _ rows: [TableRow], empty: String) {
        self.caption = caption
        self.columns = columns
        self.rows = rows
        self.empty = empty
    }

    /// Whether some row has actions. Then all rows and the header have a cell for them, so that the lines are equally long.
    private var hasActions: Bool { rows.contains { !$0.actions.isEmpty } }

    private var inTable: [TableRow.InTable] {
        let hasActions = hasActions
        return rows.map { TableRow.InTable(row: $0, hasActions: hasActions) }
    }

    func child(named name: String) -> Any? {
        switch name {
        case "caption": caption
        case "columns": columns
        case "rows": inTable
        case "hasRows": !rows.isEmpty
        case "hasActions": hasActions
        case "empty": empty
        case "older": older ?? false
        case "newer": newer ?? false
        case "hasPages": older != nil || newer != nil
        default: nil
        }
    }
}

/// A label with its value.
struct Fact: Sendable, MustacheParent {
    let label: String
    let value: Cell

    init(_ label: String, _ value: Cell) {
        self.label = label
        self.value = value
    }

    func child(named name: String) -> Any? {
        switch name {
        case "label": label
        case "value": value
        default: nil
        }
    }
}

/// A link of the console.
struct Link: Sendable, MustacheParent {
    let text: String
    let address: String
    /// `primary`, `danger` or nil.
    var style: String?
    /// Whether it leads to the page on which it stands.
    var isCurrent = false

    init(_ text: String, _ address: String, style: String? = nil, isCurrent: Bool = false) {
        self.text = text
        self.address = address
        self.style = style
        self.isCurrent = isCurrent
    }

    func child(named name: String) -> Any? {
        switch name {
        case "text": text
        case "address": address
        case "style": style ?? false
        case "isCurrent": isCurrent
        default: nil
        }
    }
}

import GatehouseHTML
import GatehouseSecurity

/// A value as a page shows it: in a table, in a list of facts, or in a sentence.
///
/// A row of a ``Table`` shows a moment as its distance from now, and everything else its date.
struct Cell: Sendable {
    var text: String
    /// Where it leads.
    var link: String?
    /// The style of a state: `good`, `warn`, `bad` or `plain`. A state has a word besides its colour.
    var badge: String?
    var time: ShownTime?
    /// What stands behind it in small print.
    var note: String?
    /// Whether it is an id, in letters of one width, which can be copied.
    var isCode = false
    /// The identity provider whose mark stands before the text.
    var provider: String?
    /// What stands in the place of the text, such as what a row folds. The text is then what it is sorted by.
    var content: HTML?

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
        guard let moment else { return missing }
        let time = ShownTime(moment, local)
        var cell = Cell(time.absolute)
        cell.time = time
        return cell
    }

    static func content(_ text: String, @HTMLBuilder _ content: () -> HTML) -> Cell {
        var cell = Cell(text)
        cell.content = content()
        return cell
    }

    /// What stands for a value that there is not.
    static var missing: Cell { Cell("–") }
}

extension Cell: HTMLPart {
    var html: HTML { CellMarkup(cell: self, isInRow: false).html }

    /// The same in a row of a table.
    func inRow(hasFocus: Bool) -> HTML { CellMarkup(cell: self, isInRow: true, hasFocus: hasFocus).html }
}

// MARK: In a row

extension Cell {
    var isNone: Bool { text == "–" && note == nil && content == nil }

    /// Whether it may be longer than its column, so that a row cuts it and has the whole in its title.
    var isLong: Bool {
        guard content == nil else { return true }
        return !isCode && badge == nil && Self.width(time == nil ? text : "") + Self.width(note ?? "") > 24
    }

    /// What a reader of a cut cell gets in full.
    var whole: String? {
        guard content == nil else { return nil }
        return [time == nil ? text : nil, note].compactMap { $0 }.joined(separator: " · ")
    }

    /// How many letters of the Latin script take as much room.
    private static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { $0 + ($1.value < 0x1100 ? 1 : 2) }
    }

    /// What rows are sorted by: moments and numbers as such, and texts behind them.
    var order: (rank: Int, number: Int64, text: String) {
        if let time { return (0, time.milliseconds, "") }
        if let number = Int64(text) { return (0, number, "") }
        return (isNone ? 2 : 1, 0, text.lowercased())
    }
}

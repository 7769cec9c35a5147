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

/// The markup of a cell. A cell has no elements for methods itself, because its `code` and its `time` are cells.
struct CellMarkup: Markup {
    let cell: Cell
    let isInRow: Bool
    /// Whether the moment takes the focus, because nothing else in its row does.
    var hasFocus = false

    @HTMLBuilder var html: HTML {
        if let content = cell.content {
            content
        } else if let badge = cell.badge {
            span(.class("badge", badge)) { linked }
        } else {
            linked
        }
        if let distance = isInRow ? nil : cell.time?.relative { note(distance) }
        if let note = cell.note { self.note(note) }
    }

    @HTMLBuilder private func note(_ text: String) -> HTML {
        " "
        small { text }
    }

    @HTMLBuilder private var linked: HTML {
        if let provider = cell.provider { ProviderMark(provider) }
        if let address = cell.link {
            a(.href(address)) { value }
        } else {
            value
        }
    }

    @HTMLBuilder private var value: HTML {
        if let time = cell.time {
            if isInRow {
                HTML.element(
                    "time", Attribute("datetime", time.machine), .title(time.whole),
                    Attribute("tabindex", hasFocus ? "0" : nil)
                ) { time.relative }
            } else {
                HTML.element("time", Attribute("datetime", time.machine), .title(time.universal)) {
                    // A narrow column may break between the day and the time, and nowhere else.
                    String(cell.text[..<endOfDay])
                    wbr
                    String(cell.text[endOfDay...])
                }
            }
        } else if cell.isCode {
            // The style isolates it, as it does each id.
            code { cell.text }
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

/// The colour of each identity provider, the same in charts, lists and badges, so that nobody has to learn it twice.
///
/// A style is the number of a class of the style sheet, such as `s3`, which has one colour for light pages and one for dark ones.
enum ProviderColor {
    /// How many styles the style sheet has.
    static let count = 16
    /// The style of what is left when a chart adds its smallest series up.
    static let others = 13

    private static let styles = [
        "guest": 7, "google": 0, "appleid": 15, "iosgamecenter": 4, "facebook": 9, "line": 2, "naver": 10, "kakao": 6,
        "kakaogame": 8, "twitter": 5, "weibo": 14, "payco": 11, "hangame": 1,
    ]
    /// Those of the providers that a game has added itself.
    private static let free = [3, 12]

    static func style(of provider: String) -> Int {
        if let style = styles[provider] { return style }
        let sum = provider.utf8.reduce(UInt32(5)) { ($0 &* 31) &+ UInt32($1) }
        return free[Int(sum % UInt32(free.count))]
    }

    /// The class of the style sheet that has the colour as `currentcolor`.
    static func name(of provider: String) -> String { "s\(style(of: provider))" }
}

/// A dot in the colour of a provider, before its name. It says nothing that the name does not say.
struct ProviderMark: HTMLPart, Markup {
    let provider: String

    init(_ provider: String) {
        self.provider = provider
    }

    var html: HTML { span(.class("idp", ProviderColor.name(of: provider))) {} }
}

extension Cell {
    /// An identity provider as people know it, with its mark.
    static func provider(_ provider: String, _ words: Words, link: String? = nil) -> Cell {
        var cell = Cell(words.providerLabel(provider), link: link)
        cell.provider = provider
        return cell
    }
}

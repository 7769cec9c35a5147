import GatehouseLook
import GatehousePlatform

/// The operators' manual, docs/console.md, as pages of the console: what a `?` beside a title leads to is there without the Internet.
struct Manual: Sendable {
    struct Section: Sendable {
        let title: String
        /// Its name in addresses.
        let name: String
        let level: Int
        var blocks: [ManualBlock] = []
    }

    let sections: [Section]

    static let shared = Manual(String(decoding: EmbeddedFile.consoleManual.bytes, as: UTF8.self))

    private static let translations = [
        "ko": EmbeddedFile.koreanConsoleManual, "ja": EmbeddedFile.japaneseConsoleManual,
    ].mapValues { Manual(String(decoding: $0.bytes, as: UTF8.self)).named(as: shared) }

    /// The manual in a language, with the English addresses.
    static func of(_ language: String) -> Manual { translations[language] ?? shared }

    /// The manual's sections, from its Markdown.
    init(_ text: String) {
        var sections: [Section] = []
        var lines: [Substring] = []
        var isCode = false
        func close() {
            if !sections.isEmpty { sections[sections.count - 1].blocks = ManualBlock.all(in: lines) }
            lines = []
        }
        for line in text.parts(at: "\n", withEmpty: true) {
            if line.begins(with: "```") { isCode.toggle() }
            let level = isCode ? 0 : line.prefix { $0 == "#" }.count
            guard level > 0 else {
                lines.append(line)
                continue
            }
            close()
            let title = line.dropFirst(level).trimmingSpaces()
            sections.append(Section(title: Self.plain(title), name: Self.name(of: title), level: level))
        }
        close()
        self.sections = sections
    }

    private init(sections: [Section]) {
        self.sections = sections
    }

    /// The same sections with the names of another language's, of which there are as many in the same order.
    private func named(as other: Manual) -> Manual {
        let pairs = zip(sections, other.sections)
        return Manual(
            sections: pairs.map { Section(title: $0.title, name: $1.name, level: $0.level, blocks: $0.blocks) })
    }

    /// The heading without what follows in parentheses, such as an address: `account-rules-transfer-limits`.
    private static func name(of title: String) -> String {
        let words = title.prefix { $0 != "(" }.lowercased().split { !$0.isLetter && !$0.isNumber }
        return words.joined(separator: "-")
    }

    private static func plain(_ title: String) -> String {
        title.prefix { $0 != "(" }.trimmingSpaces()
    }

    static func address(of name: String) -> String { "\(Console.prefix)/help/\(name)" }

    /// The heading about a group of pages; nil if there is none.
    static func heading(of section: String) -> String? { headings[section] }

    static let headings = [
        "overview": "overview", "members": "members", "bans": "bans", "ban-templates": "ban-texts",
        "grace-bans": "grace-bans", "withdrawals": "account-deletions", "launching": "service-status",
        "test-devices": "test-devices", "kick-out": "kick-out", "providers": "identity-providers",
        "accounts": "account-rules-transfer-limits", "transfer": "account-rules-transfer-limits",
        "limits": "account-rules-transfer-limits", "signing-keys": "signing-keys", "secrets": "secret-keys",
        "audit": "audit", "jobs": "jobs-and-health", "health": "jobs-and-health", "operators": "operators",
        "me": "sessions", "apps": "begin", "server-audit": "audit",
    ]
}

/// A paragraph, a list, a table or a piece of code of the manual.
struct ManualBlock: Sendable {
    enum Kind: Sendable {
        case paragraph([ManualSpan])
        case list([[ManualSpan]], isNumbered: Bool)
        case table([[[ManualSpan]]])
        case code(String)
    }

    let kind: Kind

    /// The blocks of some lines. Pictures and comments are left out.
    static func all(in lines: [Substring]) -> [ManualBlock] {
        var blocks: [ManualBlock] = []
        var rest = lines[...]
        while let line = rest.first {
            if line.begins(with: "```") {
                let code = rest.dropFirst().prefix { !$0.begins(with: "```") }
                blocks.append(ManualBlock(kind: .code(code.joined(separator: "\n"))))
                rest = rest.dropFirst(code.count + 2)
            } else if line.begins(with: "|") {
                let rows = rest.prefix { $0.begins(with: "|") }
                blocks.append(ManualBlock(kind: .table(table(rows))))
                rest = rest.dropFirst(rows.count)
            } else if isItem(line) {
                let items = rest.prefix { isItem($0) || $0.isEmpty || $0.begins(with: "  ") }
                blocks.append(ManualBlock(kind: .list(list(items), isNumbered: line.first?.isNumber ?? false)))
                rest = rest.dropFirst(items.count)
            } else if line.isEmpty || line.begins(with: "![") || line.begins(with: "<!--") {
                rest = rest.dropFirst()
            } else {
                let words = rest.prefix {
                    !$0.isEmpty && !$0.begins(with: "|") && !$0.begins(with: "```") && !isItem($0)
                }
                blocks.append(ManualBlock(kind: .paragraph(ManualSpan.all(in: words.joined(separator: " ")))))
                rest = rest.dropFirst(words.count)
            }
        }
        return blocks
    }

    private static func isItem(_ line: Substring) -> Bool { line.begins(with: "- ") || line.starts(with: /[0-9]+\.\ /) }

    private static func list(_ lines: ArraySlice<Substring>) -> [[ManualSpan]] {
        var items: [String] = []
        for line in lines where !line.isEmpty {
            let text = line.trimmingPrefix(/\ *(?:(?:[0-9]+\.|-)\ +)?/)
            if isItem(line) { items.append(String(text)) } else { items[items.count - 1] += " \(text)" }
        }
        return items.map(ManualSpan.all)
    }

    private static func table(_ rows: ArraySlice<Substring>) -> [[[ManualSpan]]] {
        rows.filter { !$0.begins(with: "|--") }.map { row in
            row.dropFirst().dropLast().parts(at: "|", withEmpty: true)
                .map { ManualSpan.all(in: $0.trimmingSpaces()) }
        }
    }
}

/// Words of the manual in one style.
struct ManualSpan: Sendable, Hashable {
    enum Style: String, Sendable { case text, code, strong, em, link }

    let style: Style
    let text: String
    var address: String?

    /// The words of a line: `` `code` ``, `**strong**`, `*emphasis*` and links.
    static func all(in text: String) -> [ManualSpan] {
        var spans: [ManualSpan] = []
        var rest = Substring(text)
        let mark = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]+)\)/
        while let match = rest.firstMatch(of: mark) {
            let before = rest[..<match.range.lowerBound]
            if !before.isEmpty { spans.append(ManualSpan(style: .text, text: String(before))) }
            let (_, code, strong, emphasis, link, address) = match.output
            if let code { spans.append(ManualSpan(style: .code, text: String(code))) }
            if let strong { spans.append(ManualSpan(style: .strong, text: String(strong))) }
            if let emphasis { spans.append(ManualSpan(style: .em, text: String(emphasis))) }
            if let link, let address { spans.append(reference(String(link), String(address))) }
            rest = rest[match.range.upperBound...]
        }
        if !rest.isEmpty { spans.append(ManualSpan(style: .text, text: String(rest))) }
        return spans
    }

    /// Other documents are not in the server, so that only their names are shown.
    private static func reference(_ text: String, _ address: String) -> ManualSpan {
        guard address.begins(with: "#") else { return ManualSpan(style: .text, text: text) }
        return ManualSpan(style: .link, text: text, address: Manual.address(of: String(address.dropFirst())))
    }
}

import GatehouseHTML
import GatehouseLook
import GatehousePlatform

/// The operators' manual, docs/console.md and docs/trouble.md, as pages of the console: what a `?` beside a title leads to is there without
/// the Internet.
struct Manual: Sendable {
    struct Section: Sendable {
        let title: String
        /// Its name in addresses.
        let name: String
        fileprivate(set) var level: Int
        /// What stands between its heading and the next one.
        var content = HTML()
        /// The same as its lines of Markdown, to be searched.
        var lines: [Substring] = []
    }

    let sections: [Section]

    static let shared = Manual([.consoleManual, .trouble])

    private static let translations = [
        "ko": [EmbeddedFile.koreanConsoleManual, .koreanTrouble],
        "ja": [EmbeddedFile.japaneseConsoleManual, .japaneseTrouble],
    ].mapValues { Manual($0).named(as: shared) }

    /// The manual in a language, with the English addresses.
    static func of(_ language: String) -> Manual { translations[language] ?? shared }

    /// The manual's sections, from its Markdown.
    init(_ text: String) {
        var sections: [Section] = []
        var lines: [Substring] = []
        var isCode = false
        func close() {
            if var section = sections.popLast() {
                section.content = ManualText(title: section.title).html(of: lines)
                section.lines = lines
                sections.append(section)
            }
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

    /// The first page with the others as chapters of it.
    private init(_ pages: [EmbeddedFile]) {
        let manuals = pages.map { Manual(String(decoding: $0.bytes, as: UTF8.self)).sections }
        sections =
            (manuals.first ?? [])
            + manuals.dropFirst().joined().map { section in
                var section = section
                section.level += 1
                return section
            }
    }

    private init(sections: [Section]) {
        self.sections = sections
    }

    /// The same sections with the names of another language's, of which there are as many in the same order.
    private func named(as other: Manual) -> Manual {
        let pairs = zip(sections, other.sections)
        return Manual(
            sections: pairs.map {
                Section(title: $0.title, name: $1.name, level: $0.level, content: $0.content, lines: $0.lines)
            })
    }

    /// The sections that have the words, those that have them in their title first, each with a line that shows why it was found.
    func search(_ looked: FindWords) -> [(section: Section, line: Substring?)] {
        let inTitles = sections.filter { looked.match($0.title) }.map { ($0, nil as Substring?) }
        let inTexts = sections.compactMap { section -> (Section, Substring?)? in
            guard !looked.match(section.title), looked.match(section.lines.joined(separator: "\n")) else { return nil }
            return (section, section.lines.first { looked.matchAny(String($0)) })
        }
        return inTitles + inTexts
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

    /// The name of the page with the error codes, which the console makes itself.
    static let codes = "error-codes"

    /// The heading about a group of pages; nil if there is none.
    static func heading(of section: String) -> String? { headings[section] }

    static let headings = [
        "overview": "overview", "hand-over": "hand-over", "find": "find", "members": "members",
        "refusals": "refused-calls", "bans": "bans", "ban-templates": "ban-texts", "replies": "replies",
        "grace-bans": "grace-bans", "withdrawals": "account-deletions", "imports": "imports",
        "launching": "service-status",
        "test-devices": "test-devices", "kick-out": "kick-out", "alerts": "alerts", "providers": "identity-providers",
        "accounts": "account-rules-transfer-limits", "transfer": "account-rules-transfer-limits",
        "limits": "account-rules-transfer-limits", "signing-keys": "signing-keys", "secrets": "secret-keys",
        "audit": "audit", "jobs": "jobs-and-health", "health": "jobs-and-health", "operators": "operators",
        "me": "sessions", "keys": "sessions", "apps": "begin", "start": "begin", "server-audit": "audit",
    ]
}

/// Reads what stands below a heading of the manual: paragraphs, lists, tables and code. Pictures and comments are left out.
struct ManualText: Markup {
    /// The heading, which is also the name of its tables.
    let title: String

    func html(of lines: [Substring]) -> HTML {
        var blocks: [HTML] = []
        var rest = lines[...]
        func take(while belongs: (Substring) -> Bool) -> ArraySlice<Substring> {
            let taken = rest.prefix(while: belongs)
            rest = rest.dropFirst(taken.count)
            return taken
        }
        while let line = rest.first {
            if line.begins(with: "```") {
                rest = rest.dropFirst()
                let text = take { !$0.begins(with: "```") }.joined(separator: "\n")
                rest = rest.dropFirst()
                blocks.append(pre(.tabindex(0)) { code { text } })
            } else if line.begins(with: "|") {
                blocks.append(table(of: take { $0.begins(with: "|") }))
            } else if isItem(line) {
                let items = items(of: take { isItem($0) || $0.isEmpty || $0.begins(with: "  ") })
                blocks.append(line.begins(with: "- ") ? ul { items } : ol { items })
            } else if line.isEmpty || line.begins(with: "![") || line.begins(with: "<!--") {
                rest = rest.dropFirst()
            } else {
                let words = take { !$0.isEmpty && !$0.begins(with: "|") && !$0.begins(with: "```") && !isItem($0) }
                blocks.append(p { styled(words.joined(separator: " ")) })
            }
        }
        return HTML(blocks)
    }

    /// A line by itself, as what a search has found. Its links are words, because the whole of it may be one.
    func html(ofLine line: Substring) -> HTML {
        styled(
            String(line.trimmingPrefix(/\ *(?:(?:[0-9]+\.|-)\ +|\|\ *)?/)).replacing(/\[([^\]]+)\]\([^)]+\)/) {
                $0.output.1
            })
    }

    private func isItem(_ line: Substring) -> Bool { line.begins(with: "- ") || line.starts(with: /[0-9]+\.\ /) }

    private func items(of lines: ArraySlice<Substring>) -> HTML {
        var items: [String] = []
        for line in lines where !line.isEmpty {
            let text = line.trimmingPrefix(/\ *(?:(?:[0-9]+\.|-)\ +)?/)
            if isItem(line) { items.append(String(text)) } else { items[items.count - 1] += " \(text)" }
        }
        return HTML(items.map { item in li { styled(item) } })
    }

    private func table(of lines: ArraySlice<Substring>) -> HTML {
        let rows = lines.filter { !$0.begins(with: "|--") }.map { line in
            line.dropFirst().dropLast().parts(at: "|", withEmpty: true).map { styled($0.trimmingSpaces()) }
        }
        return scroll(title) {
            table {
                thead {
                    tr {
                        for cell in rows.first ?? [] { th(Attribute("scope", "col")) { cell } }
                    }
                }
                tbody {
                    for row in rows.dropFirst() {
                        tr {
                            for cell in row { td { cell } }
                        }
                    }
                }
            }
        }
    }

    /// The words of a line: `` `code` ``, `**strong**`, `*emphasis*` and links.
    private func styled(_ text: String) -> HTML {
        var parts: [HTML] = []
        var rest = Substring(text)
        let mark = /`([^`]+)`|\*\*([^*]+)\*\*|\*([^*]+)\*|\[([^\]]+)\]\(([^)]+)\)/
        while let match = rest.firstMatch(of: mark) {
            parts.append(.text(String(rest[..<match.range.lowerBound])))
            let (_, code, strong, emphasis, link, address) = match.output
            if let code { parts.append(self.code { String(code) }) }
            if let strong { parts.append(self.strong { String(strong) }) }
            if let emphasis { parts.append(em { String(emphasis) }) }
            if let link, let address { parts.append(reference(String(link), String(address))) }
            rest = rest[match.range.upperBound...]
        }
        return HTML(parts + [.text(String(rest))])
    }

    /// Other documents are not in the server, so that only their names are shown.
    private func reference(_ text: String, _ address: String) -> HTML {
        guard address.begins(with: "#") else { return .text(text) }
        return a(.href(Manual.address(of: String(address.dropFirst())))) { text }
    }
}

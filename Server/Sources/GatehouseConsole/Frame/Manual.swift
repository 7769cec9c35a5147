import GatehouseHTML
import GatehouseLook
import GatehousePlatform

/// The operators' manual, docs/console.md, as pages of the console: what a `?` beside a title leads to is there without the Internet.
struct Manual: Sendable {
    struct Section: Sendable {
        let title: String
        /// Its name in addresses.
        let name: String
        let level: Int
        /// What stands between its heading and the next one.
        var content = HTML()
        /// The same as its lines of Markdown, to be searched.
        var lines: [Substring] = []
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

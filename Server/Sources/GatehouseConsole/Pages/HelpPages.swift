import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The operators' manual, a page for each of its headings, with a search over it and the list of error codes.
extension Console {
    static func addHelp(to pages: Pages) {
        pages.server("/help", as: nil) { page in try await page.helpContents() }
        pages.server("/help/:heading", as: nil) { page in try await page.helpPage() }
    }
}

extension PageRequest {
    fileprivate func helpContents() async throws -> Response {
        if let text = query["q"] { return found(Self.plain(text, limit: Finder.letters)) }
        let sections = Manual.of(words.language).sections
        return manual(
            Page(words("frame.help"), section: "help"), sections.first?.content ?? HTML(),
            contents: [helpLink(words("find.codes"), Manual.codes)] + sections.dropFirst().map(helpLink))
    }

    fileprivate func helpPage() async throws -> Response {
        let (sections, name) = (Manual.of(words.language).sections, segment("heading"))
        if name == Manual.codes { return codeList() }
        guard let index = sections.firstIndex(where: { $0.name == name }) else {
            throw Refusal(.notSupported, words("error.no-page"), httpStatus: 404)
        }
        let section = sections[index]
        let parts = sections[(index + 1)...].prefix { $0.level > section.level }
        return manual(helpPage(section.title), section.content, contents: parts.map(helpLink))
    }

    /// What a search in the manual finds.
    private func found(_ text: String) -> Response {
        let looked = FindWords(text)
        let sections = Manual.of(words.language).search(looked).filter { $0.section.level > 1 }
        return show(helpPage(words("help.found"))) {
            search(text)
            section(.class("card manual")) {
                if sections.isEmpty { empty("help.nothing") }
                ul {
                    for (section, line) in sections {
                        li {
                            helpLink(section)
                            if let line { p(.class("small")) { ManualText(title: section.title).html(ofLine: line) } }
                        }
                    }
                }
            }
        }
    }

    /// Every error code with what it means and what to do. Its number leads to the calls of the app that were refused with it.
    private func codeList() -> Response {
        let app = frameApp
        let rows = ErrorCode.table.compactMap { row -> TableRow? in
            let number = String(row.code.rawValue)
            // Those of the SDK alone have no words, because no call is refused with them.
            guard let meaning = words.optional("code.\(number)") else { return nil }
            var line = TableRow([
                Cell(number, link: app.map { "\(Console.address(of: $0.id))/refusals?code=\(number)" }),
                Cell(meaning, note: row.name), Cell(words.optional("refusal.todo.\(number)") ?? "–"),
            ])
            line.id = "c-\(number)"
            return line
        }
        let columns = ["check.code", "help.meaning", "help.todo"].map { words($0) }
        return show(helpPage(words("find.codes"))) {
            p { words("help.codes") }
            Table(words("find.codes"), columns, rows, empty: "").wrapping
        }
    }

    private func helpPage(_ title: String) -> Page {
        var page = Page(title, section: "help")
        page.crumbs = [Link(words("frame.help"), serverAddress("/help"))]
        if let back = pageBefore { page.crumbs.insert(Link(words("help.back"), back), at: 0) }
        return page
    }

    /// The page of an app from which the person has come.
    private var pageBefore: String? {
        guard let referrer = request.headers[.referer], referrer.utf8.count <= 512,
            let path = referrer.parts(at: "/", atMost: 4, withEmpty: true).last.map({ "/\($0)" }),
            Console.app(of: path) != nil, !path.begins(with: "//")
        else { return nil }
        return path
    }

    private func helpLink(_ section: Manual.Section) -> Link { helpLink(section.title, section.name) }

    /// A link within the manual, which keeps the app's pages in the navigation.
    private func helpLink(_ title: String, _ name: String) -> Link { Link(title, serverAddress("/help/\(name)")) }

    private func search(_ text: String = "") -> HTML {
        filters(
            [Field("q", words("help.search"), value: text, limit: Finder.letters)], to: "\(Console.prefix)/help",
            button: words("frame.find-button"))
    }

    private func manual(_ page: Page, _ text: HTML, contents: [Link]) -> Response {
        show(page) {
            search()
            article(.class("card manual")) {
                text
                if !contents.isEmpty {
                    ul {
                        for link in contents { li { link } }
                    }
                }
            }
        }
    }
}

/// The keys that are short cuts.
extension Console {
    static func addShortcuts(to pages: Pages) {
        pages.server("/keys", as: nil) { page in page.shortcutPage() }
    }
}

extension PageRequest {
    private static let shortcuts: [(keys: [String], text: String)] = [
        (["/", "Ctrl K"], "keys.find"), (["g", "o"], "nav.overview"), (["g", "m"], "nav.members"),
        (["g", "b"], "nav.bans"),
        (["g", "l"], "nav.launching"), (["g", "p"], "nav.providers"), (["g", "a"], "nav.audit"),
        (["g", "j"], "nav.jobs"), (["j", "k"], "keys.rows"), (["Enter"], "keys.open"), (["o"], "keys.tab"),
        (["Esc"], "keys.leave"), (["?"], "keys.title"),
    ]

    fileprivate func shortcutPage() -> Response {
        show(Page(words("keys.title"), section: "keys")) {
            section(.class("card")) {
                dl(.class("facts")) {
                    for (keys, text) in Self.shortcuts {
                        dt {
                            for key in keys {
                                kbd { key }
                                " "
                            }
                        }
                        dd { words(text) }
                    }
                }
                p(.class("small")) { words("keys.off") }
            }
        }
    }
}

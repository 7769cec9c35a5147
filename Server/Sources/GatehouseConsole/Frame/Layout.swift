import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

/// What a page of the console says, within the frame that all have.
struct Page {
    var title: String
    /// The way from the app to the page.
    var crumbs: [Link] = []
    /// What can be done on the page. The first may be the primary one.
    var actions: [Link] = []
    /// The group of the navigation to which the page belongs, such as `members`.
    var section = ""
    var status = HTTPResponse.Status.ok
    /// The form that this page answers, as an address with its values: choosing another language sends it again.
    var again: String?
    /// Where it can be reached again, if not at its own address.
    var here: String?
    /// After how many seconds the page shows itself again.
    var refreshSeconds: Int?
    /// The heading of the operators' manual about the page, if it is not that of its section.
    var help: String?
    /// What a result line says, and the link that undoes it.
    var result: (text: String, undo: Link?)?
    /// Whether the result is a bad one, such as that of a test.
    var isResultBad = false

    init(_ title: String, section: String = "") {
        self.title = title
        self.section = section
    }
}

extension Visit: Markup {
    /// A page in the frame.
    func show(_ page: Page, @HTMLBuilder _ content: () -> HTML) -> Response {
        var response = Console.html(layout(page, content()), page.status)
        if let seconds = page.refreshSeconds, let name = HTTPField.Name("Refresh") {
            response.headers[name] = "\(seconds); url=\(address(with: Self.renewal, "1"))"
        }
        return response
    }

    /// The field of an address that a page renews by itself.
    static let renewal = "renewed"

    /// A form that changes something, with the session's token, without which it would not be taken (CON-1).
    func changing(_ address: String, class name: String? = nil, @HTMLBuilder _ content: () -> HTML) -> HTML {
        form(.post, .action(address), .class(name)) {
            hidden("token", formToken)
            content()
        }
    }

    private func layout(_ page: Page, _ content: HTML) -> HTML {
        let preferences = person.preferences
        let title = [page.title, place?.app.name].compactMap { $0 }.joined(separator: " · ")
        return HTML.element(
            "html", .lang(words.language), Attribute("data-theme", preferences.theme.rawValue),
            Attribute("data-density", preferences.density.rawValue),
            Attribute("data-keys", preferences.hasShortcuts ? "on" : nil)
        ) {
            console.assets.head(title, hasScript: true)
            body {
                a(.class("skip"), .href("#main")) { words("frame.skip") }
                top(page)
                div(.class("columns")) {
                    navigation(page.section)
                    main(.id("main"), .tabindex(-1)) {
                        heading(page)
                        content
                    }
                }
                bottom
                if preferences.hasShortcuts { shortcuts }
            }
        }
    }

    private func top(_ page: Page) -> HTML {
        header(.class("top", place.map { Self.color(of: $0.app) })) {
            button(.type("button"), .class("menu"), Attribute("popovertarget", "navigation")) {
                words("frame.navigation")
            }
            a(.class("brand"), .href(Console.prefix)) { "Gatehouse" }
            if let app = place?.app {
                a(.class("app"), .href(address(""))) {
                    bdi { app.name }
                    " "
                    span(.class("small")) { app.id.rawValue }
                }
                finder
            }
            nav(.class("person"), .ariaLabel(words("frame.account"))) {
                languages(page)
                a(.href("\(Console.prefix)/me")) { person.name }
            }
        }
    }

    private var finder: HTML {
        form(.class("find"), .role("search"), .action(address("find")), .get) {
            label(.class("hidden"), .for("find")) { words("frame.find") }
            input(
                .id("find"), .name("q"), .type("search"), Attribute("placeholder", words("frame.find")),
                .maxlength(200), .autocomplete("off"))
            button { words("frame.find-button") }
        }
    }

    private func languages(_ page: Page) -> HTML {
        // A page that answers a form has no address of its own; it says where it can be reached again.
        let ownAddress = request.method == .get ? request.uri.description : address("")
        return changing("\(Console.prefix)/me/language") {
            hidden("back", page.here ?? ownAddress)
            if let again = page.again { hidden("again", again) }
            for (language, text) in [("en", "EN"), ("ko", "한"), ("ja", "日")] {
                button(
                    .name("to"), .value(language), .lang(language),
                    .ariaCurrent(language == words.language ? "true" : nil)
                ) { text }
            }
        }
    }

    @HTMLBuilder private func heading(_ page: Page) -> HTML {
        if let banner = (place?.app).flatMap(maintenanceBanner) { p(.class("notice warn")) { banner } }
        if !page.crumbs.isEmpty {
            nav(.class("crumbs"), .ariaLabel(words("frame.crumbs"))) {
                ol {
                    for link in page.crumbs { li { link } }
                }
            }
        }
        div(.class("heading")) {
            h1 {
                page.title
                if let help = page.help ?? Manual.heading(of: page.section) {
                    " "
                    a(.class("to-manual"), .href(Manual.address(of: help))) {
                        "?"
                        span(.class("hidden")) { " \(words("frame.help"))" }
                    }
                }
            }
            Buttons(page.actions)
        }
        if let result = page.result {
            p(.class("notice", page.isResultBad ? "bad" : "good"), .role("status")) {
                result.text
                if let undo = result.undo {
                    " "
                    undo.button
                }
            }
        }
    }

    private var bottom: HTML {
        footer {
            "\(words("frame.transaction")) "
            code { context.source.transactionID.rawValue }
            " · \(words("frame.time")) \(local.absolute(moment)) · \(words("frame.zone")) \(local.zoneName(at: moment)) · "
            bdi { person.name }
        }
    }

    private static let shortcuts: [(keys: [String], text: String)] = [
        (["/"], "keys.find"), (["g", "o"], "nav.overview"), (["g", "m"], "nav.members"), (["g", "b"], "nav.bans"),
        (["g", "l"], "nav.launching"), (["g", "p"], "nav.providers"), (["g", "a"], "nav.audit"),
        (["g", "j"], "nav.jobs"), (["j", "k"], "keys.rows"), (["Enter"], "keys.open"), (["o"], "keys.tab"),
        (["Esc"], "keys.leave"), (["?"], "keys.title"),
    ]

    private var shortcuts: HTML {
        dialog(.id("keys"), .ariaLabelledby("keys-title")) {
            h2(.id("keys-title")) { words("keys.title") }
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
            form(Attribute("method", "dialog")) { button { words("keys.close") } }
        }
    }

    /// One of eight colours, always the same for an app, so that nobody acts on the wrong one.
    private static func color(of app: App) -> String {
        let sum = app.id.rawValue.utf8.reduce(UInt32(5)) { ($0 &* 31) &+ UInt32($1) }
        return "app-\(sum % 8)"
    }

    private func maintenanceBanner(_ app: App) -> String? {
        guard let window = app.maintenance, window.end > moment else { return nil }
        if window.begin <= moment {
            return words(
                "banner.maintenance", ["end": local.absolute(window.end), "left": local.relative(window.end)])
        }
        return words(
            "banner.maintenance-planned", ["begin": local.absolute(window.begin), "left": local.relative(window.begin)])
    }
}

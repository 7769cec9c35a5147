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
    /// What goes on behind the list of the page, if the page shows the whole of it.
    var goesOn: Link?
    /// The group of the navigation to which the page belongs, such as `members`.
    var section = ""
    var status = HTTPResponse.Status.ok
    /// The form that this page answers, as an address with its values: choosing another language sends it again.
    var again: String?
    /// Where it can be reached again, if not at its own address.
    var here: String?
    /// After how many seconds the page shows itself again in a browser without the script.
    var refreshSeconds: Int?
    /// Whether the script keeps it up to date (``PageRequest/liveAnswer(_:_:)``).
    var isLive = false
    /// Who else looks at it, of a player's page.
    var others: [String]?
    /// The heading of the operators' manual about the page, if it is not that of its section.
    var help: String?
    /// What a result line says, and the link that undoes it.
    var result: (text: String, undo: Link?)?
    /// Whether the result is a bad one, such as that of a test.
    var isResultBad = false

    /// How much a page weighs at most.
    static let mostBytes = 25 * 1_024

    init(_ title: String, section: String = "") {
        self.title = title
        self.section = section
    }
}

extension PageRequest: Markup {
    /// A page in the frame.
    func show(_ page: Page, @HTMLBuilder _ content: () -> HTML) -> Response {
        if page.isLive, isLive { return liveAnswer(page, content()) }
        return Console.html(layout(page, content()), page.status)
    }

    /// A page with a list that has been ``paged(_:next:field:mark:)``. Rows that would make it too heavy are left to the next page, so that
    /// a page is light in every language, however long the texts are that people have written.
    func show(_ page: Page, _ list: Table, @HTMLBuilder _ content: (Table) -> HTML) -> Response {
        var (page, list) = (page, list)
        let document = layout(page, content(list)).document
        if let field = list.field, list.cut(document.count - Page.mostBytes) {
            page.goesOn = nil
            list = paged(list, next: list.rows.last?.place, field: field, mark: list.mark)
        } else if !(page.isLive && isLive) {
            return Console.html(document, page.status)
        }
        return show(page) { content(list) }
    }

    /// The field of an address that a page renews by itself.
    static let renewal = "renewed"

    /// A form that changes something, with the session's token, without which it would not be taken (CON-1).
    func changing(
        _ address: String, class name: String? = nil, id: String? = nil, @HTMLBuilder _ content: () -> HTML
    ) -> HTML {
        form(.post, .action(address), .class(name), .id(id)) {
            hidden("token", formToken)
            content()
        }
    }

    private func layout(_ page: Page, _ content: HTML) -> HTML {
        let preferences = person.preferences
        let title = [page.title, place?.app.name].compactMap { $0 }.joined(separator: " · ")
        // What the style sheet does by itself needs no attribute.
        return HTML.element(
            "html", .lang(words.language),
            Attribute("data-theme", preferences.theme == .auto ? nil : preferences.theme.rawValue),
            Attribute("data-density", preferences.density == .comfortable ? nil : preferences.density.rawValue),
            Attribute("data-keys", preferences.hasShortcuts ? "on" : nil),
            Attribute("data-show", words("frame.show-password"))
        ) {
            console.assets.head(
                title, refresh: page.refreshSeconds.map { "\($0); url=\(address(with: Self.renewal, "1"))" })
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
                if let undo = page.result?.undo, let fields = undo.sends {
                    changing(undo.address, id: "undo") { all(fields) }
                }
            }
        }
    }

    private func top(_ page: Page) -> HTML {
        header(.class("top", page.section == "apps" ? nil : frameApp.map { Self.color(of: $0.id) })) {
            button(.type("button"), .class("menu"), Attribute("popovertarget", "navigation")) {
                words("frame.navigation")
            }
            a(.class("brand"), .href(Console.prefix)) { "Gatehouse" }
            appMenu(page.section)
            finder
            personMenu(page)
        }
    }

    /// The box that finds everything. The script opens it as a palette.
    private var finder: HTML {
        div(.class("find"), .role("search")) {
            changing("\(Console.prefix)/find") {
                if let app = place?.app { hidden("app", app.id.rawValue) }
                label(.class("hidden"), .for("find")) { words("frame.find") }
                input(
                    .id("find"), .name("q"), .type("search"), Attribute("placeholder", words("frame.find")),
                    .maxlength(2_000), .autocomplete("off"))
                kbd(.hidden) { words("frame.find-key") }
                button { words("frame.find-button") }
            }
        }
    }

    @HTMLBuilder private func heading(_ page: Page) -> HTML {
        if page.isLive { liveHead(page) } else { maintenanceBanner }
        if page.section == "apps", person.preferences.zone == nil {
            p(.class("notice")) {
                "\(words("frame.no-zone")) "
                Link(words("frame.choose-zone"), "\(Console.prefix)/me#f-zone")
            }
        }
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
            Buttons((page.goesOn.map { [$0] } ?? []) + page.actions)
        }
        if let result = page.result {
            p(.class("notice", page.isResultBad ? "bad" : "good"), .role("status")) {
                result.text
                if let undo = result.undo {
                    " "
                    // A paragraph holds no form.
                    if undo.sends == nil { undo.button } else { button(Attribute("form", "undo")) { undo.text } }
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

    /// One of eight colours, always the same for an app, so that nobody acts on the wrong one.
    private static func color(of app: AppID) -> String {
        let sum = app.rawValue.utf8.reduce(UInt32(5)) { ($0 &* 31) &+ UInt32($1) }
        return "app-\(sum % 8)"
    }

    /// Who may act soon before a maintenance gets the way to it.
    private static let soonSeconds: Int64 = 600

    @HTMLBuilder var maintenanceBanner: HTML {
        if let app = place?.app, let window = app.maintenance, window.end > moment {
            let isRunning = window.begin <= moment
            let isSoon = isRunning || window.begin <= moment.adding(seconds: Self.soonSeconds)
            p(.class("notice warn")) {
                isRunning
                    ? words(
                        "banner.maintenance", ["end": local.absolute(window.end), "left": local.relative(window.end)])
                    : words(
                        "banner.maintenance-planned",
                        ["begin": local.absolute(window.begin), "left": local.relative(window.begin)])
                if isSoon, let change = offer(ChangeMaintenance.self, text: words("banner.change")) {
                    " "
                    change
                }
            }
        }
    }
}

// The menus of the header: the apps, and what is the person's own. Each is a popover, which needs no script.
extension PageRequest {
    /// So many apps make the menu as long as a page may afford. The page of apps has all.
    private static let mostApps = 40
    /// More apps than these are searched, not read.
    private static let fewApps = 8

    /// The app of the page, and the menu that leads to the same kind of page in another.
    @HTMLBuilder func appMenu(_ section: String) -> HTML {
        let current = section == "apps" ? nil : frameApp
        let apps = console.frame.apps.filter { person.role(in: $0.id) != nil }
        if let current {
            a(.class("app"), .href(Console.address(of: current.id)), .title(current.name)) {
                bdi { current.name }
                " "
                span(.class("small")) { current.id.rawValue }
            }
        }
        if section != "apps", apps.count > (current == nil ? 0 : 1) {
            nav(.class("apps"), .ariaLabel(words("frame.apps"))) {
                opener(of: "apps", title: words("frame.apps")) {
                    span(.class(current == nil ? nil : "hidden")) { words("frame.apps") }
                }
                div(.id("apps"), .class("drop"), Attribute("popover", if: true)) {
                    if apps.count > Self.fewApps {
                        input(
                            .type("search"), Attribute("data-filter", if: true), .ariaLabel(words("frame.filter-apps")),
                            Attribute("placeholder", words("frame.filter-apps")), .hidden)
                    }
                    ul {
                        for app in apps.prefix(Self.mostApps) { li { link(to: app, from: section, current?.id) } }
                        if apps.count > Self.mostApps {
                            li { Link(words("frame.all-apps", ["count": Words.number(apps.count)]), Console.prefix) }
                        }
                    }
                }
            }
        }
    }

    private func link(to app: FrameFacts.AppRow, from section: String, _ current: AppID?) -> HTML {
        let role = person.role(in: app.id) ?? .viewer
        let path = place == nil ? nil : NavigationItem.path(of: section, as: role)
        let address = Console.address(of: app.id) + (path.map { $0.isEmpty ? "" : "/\($0)" } ?? "")
        return a(.href(address), .ariaCurrent(app.id == current ? "true" : nil)) {
            span {
                bdi { app.name }
                " "
                span(.class("small")) { app.id.rawValue }
            }
            " "
            statusCell(app.status)
        }
    }

    /// The person's menu: account, help, keys, language, and the way out.
    func personMenu(_ page: Page) -> HTML {
        nav(.class("person"), .ariaLabel(words("frame.account"))) {
            opener(of: "account", title: person.name) { bdi { person.name } }
            div(.id("account"), .class("drop"), Attribute("popover", if: true)) {
                ul {
                    li { a(.href(serverAddress("/me"))) { words("frame.my-account") } }
                    li { a(.href("\(Console.prefix)/help")) { words("frame.help") } }
                    if person.preferences.hasShortcuts {
                        li { a(.href(serverAddress("/keys"))) { words("keys.title") } }
                    }
                }
                languages(page)
                changing("\(Console.prefix)/sign-out") { button { words("me.sign-out") } }
            }
        }
    }

    /// - Parameter title: its whole text, which a narrow screen cuts.
    private func opener(of menu: String, title: String, @HTMLBuilder _ content: () -> HTML) -> HTML {
        button(
            .type("button"), .class("opens"), .title(title), Attribute("popovertarget", menu), content: content)
    }

    /// The languages. The page is shown again as it is.
    private func languages(_ page: Page) -> HTML {
        // A page that answers a form has no address of its own; it says where it can be reached again.
        let ownAddress = request.method == .get ? request.uri.description : address("")
        return changing("\(Console.prefix)/me/language") {
            hidden("back", page.here ?? ownAddress)
            if let again = page.again { hidden("again", again) }
            div(.role("group"), .ariaLabel(words("me.language"))) {
                span(.class("small")) { words("me.language") }
                for option in Console.languageOptions(words) {
                    button(
                        .name("to"), .value(option.value), .lang(option.value),
                        .ariaCurrent(option.value == words.language ? "true" : nil)
                    ) { option.text }
                }
            }
        }
    }
}

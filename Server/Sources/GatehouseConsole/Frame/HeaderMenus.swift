import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird

// The menus of the header: the apps, and what is the person's own. Each is a popover, which needs no script.
extension Visit {
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

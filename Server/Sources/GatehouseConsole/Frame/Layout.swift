import GatehouseCore
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
    /// What the template of the page needs.
    var values: [String: Any] = [:]
    var status = HTTPResponse.Status.ok
    /// The form that this page answers, as an address with its values: choosing another language sends it again.
    var again: String?
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

extension Visit {
    /// A page with its template, in the frame.
    func show(_ page: Page, _ template: String) async throws -> Response {
        var values = page.values
        values["t"] = WordPath(words: words)
        values["language"] = words.language
        values["assets"] = console.assets.addresses
        values["title"] = page.title
        values["crumbs"] = page.crumbs
        values["hasCrumbs"] = !page.crumbs.isEmpty
        values["actions"] = page.actions
        values["help"] = (page.help ?? Manual.heading(of: page.section)).map(Manual.address) ?? false as Any
        values["hasActions"] = !page.actions.isEmpty
        values["formToken"] = formToken
        values["person"] = person.name
        values["theme"] = person.preferences.theme.rawValue
        values["density"] = person.preferences.density.rawValue
        values["hasShortcuts"] = person.preferences.hasShortcuts
        values["transaction"] = context.source.transactionID.rawValue
        values["zone"] = local.zoneName(at: moment)
        values["serverTime"] = local.absolute(moment)
        // A page that answers a form has no address of its own; it says where it can be reached again.
        if values["here"] == nil {
            values["here"] =
                request.method == .get ? request.uri.description : place == nil ? Console.prefix : address("")
        }
        values["path"] = request.uri.path
        values["languages"] = languageLinks()
        values["again"] = page.again ?? false as Any
        if let text = page.result?.text { values["result"] = text }
        values["resultStyle"] = page.isResultBad ? "bad" : "good"
        if let undo = page.result?.undo { values["undo"] = undo }
        if let (app, role) = place {
            values["app"] = [
                "id": app.id.rawValue, "name": app.name, "home": address(""), "color": Self.color(of: app),
                "role": words("role.\(role.rawValue)"), "find": address("find"),
            ]
            values["navigation"] = navigation(page.section)
            values["banner"] = maintenanceBanner(app)
        }
        values["serverNavigation"] = serverNavigation(page.section)
        var response = Console.html(try console.templates.render(template, values), page.status)
        if let seconds = page.refreshSeconds, let name = HTTPField.Name("Refresh") {
            response.headers[name] = "\(seconds); url=\(address(with: Self.renewal, "1"))"
        }
        return response
    }

    /// The field of an address that a page renews by itself.
    static let renewal = "renewed"

    /// One of eight colours, always the same for an app, so that nobody acts on the wrong one.
    private static func color(of app: App) -> String {
        let sum = app.id.rawValue.utf8.reduce(UInt32(5)) { ($0 &* 31) &+ UInt32($1) }
        return "app-\(sum % 8)"
    }

    private func languageLinks() -> [Link] {
        [("en", "EN"), ("ko", "한"), ("ja", "日")].map { language, text in
            Link(text, language, isCurrent: language == words.language)
        }
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

    private func navigation(_ section: String) -> [NavigationGroup] {
        NavigationGroup.app.map { group in
            NavigationGroup(
                title: words("nav.\(group.name)"),
                links: group.items.filter { role >= $0.role }.map { item in
                    Link(words("nav.\(item.section)"), address(item.path), isCurrent: item.section == section)
                })
        }.filter { !$0.links.isEmpty }
    }

    private func serverNavigation(_ section: String) -> [Link] {
        var links = [Link(words("nav.apps"), Console.prefix, isCurrent: section == "apps")]
        if let role = person.serverRole {
            links.append(
                Link(words("nav.jobs"), "\(Console.prefix)/jobs", isCurrent: section == "jobs"))
            links.append(
                Link(words("nav.health"), "\(Console.prefix)/health", isCurrent: section == "health"))
            if role >= .owner {
                links.append(
                    Link(words("nav.operators"), "\(Console.prefix)/operators", isCurrent: section == "operators"))
                links.append(
                    Link(words("nav.server-audit"), "\(Console.prefix)/audit", isCurrent: section == "server-audit"))
            }
        }
        return links
    }
}

/// A group of links in the navigation.
struct NavigationGroup: MustacheParent {
    let title: String
    let links: [Link]

    func child(named name: String) -> Any? {
        switch name {
        case "title": title
        case "links": links
        default: nil
        }
    }

    struct Item {
        let section: String
        let path: String
        var role = OperatorRole.viewer
    }

    /// The pages of an app. A page that the person can't open is not listed.
    static let app: [(name: String, items: [Item])] = [
        (
            "players",
            [
                Item(section: "overview", path: ""), Item(section: "members", path: "members"),
                Item(section: "bans", path: "bans"), Item(section: "ban-templates", path: "ban-templates"),
                Item(section: "grace-bans", path: "grace-bans"), Item(section: "withdrawals", path: "withdrawals"),
            ]
        ),
        (
            "game",
            [
                Item(section: "launching", path: "launching"), Item(section: "test-devices", path: "test-devices"),
                Item(section: "kick-out", path: "kick-out", role: .operator),
            ]
        ),
        (
            "sign-in",
            [
                Item(section: "providers", path: "providers"), Item(section: "accounts", path: "accounts"),
                Item(section: "transfer", path: "transfer"),
            ]
        ),
        (
            "keys",
            [
                Item(section: "signing-keys", path: "signing-keys", role: .owner),
                Item(section: "secrets", path: "secrets", role: .owner),
                Item(section: "limits", path: "limits"),
            ]
        ),
        ("admin", [Item(section: "audit", path: "audit", role: .support)]),
    ]
}

import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import Synchronization

extension PageRequest {
    /// The pages that the person may open: those of the app, and those of the server.
    func navigation(_ current: String) -> HTML {
        nav(
            .class("side"), .id("navigation"), Attribute("popover", if: true), .ariaLabel(words("frame.navigation"))
        ) {
            button(
                .type("button"), .class("menu"), Attribute("popovertarget", "navigation"),
                Attribute("popovertargetaction", "hide")
            ) { words("keys.close") }
            for group in appPages(current) {
                h2 { group.title }
                pages(group.links)
            }
            h2 { words("nav.server") }
            pages(serverPages(current))
        }
    }

    private func pages(_ links: [(page: Link, count: Int?)]) -> HTML {
        ul {
            for link in links {
                li {
                    a(.href(link.page.address), .ariaCurrent(link.page.isCurrent ? "page" : nil)) {
                        link.page.text
                        if let count = link.count, count > 0 {
                            " "
                            span(.class("count")) { count < CountForNavigation.most ? String(count) : "99+" }
                        }
                    }
                }
            }
        }
    }

    private func appPages(_ current: String) -> [(title: String, links: [(page: Link, count: Int?)])] {
        guard current != "apps", let app = frameApp else { return [] }
        let counts = console.frame.counts(of: app.id)
        func link(_ item: NavigationItem) -> (page: Link, count: Int?) {
            let address = Console.address(of: app.id) + (item.path.isEmpty ? "" : "/\(item.path)")
            return (
                Link(words("nav.\(item.section)"), address, isCurrent: item.section == current),
                item.count.flatMap { count in counts.map { $0[keyPath: count] } }
            )
        }
        return NavigationItem.app.map { group, items in
            (
                title: words("nav.\(group)"),
                links: items.filter { item in
                    app.role >= item.role && item.need.map { counts?[keyPath: $0] ?? false } ?? true
                }.map(link)
            )
        }.filter { !$0.links.isEmpty }
    }

    private func serverPages(_ current: String) -> [(page: Link, count: Int?)] {
        func page(_ section: String, _ path: String, _ count: Int? = nil) -> (page: Link, count: Int?) {
            (Link(words("nav.\(section)"), serverAddress(path), isCurrent: section == current), count)
        }
        guard let role = person.serverRole else { return [page("apps", "")] }
        let jobs = console.frame.counts(of: current == "apps" ? nil : frameApp?.id)?.jobs
        return [page("apps", ""), page("jobs", "/jobs", jobs), page("health", "/health")]
            + (role < .owner ? [] : [page("operators", "/operators"), page("server-audit", "/audit")])
    }

    /// The address of a page of no app, which keeps the pages of this app in the navigation.
    func serverAddress(_ path: String) -> String {
        guard !path.isEmpty, let app = frameApp?.id else { return Console.prefix + path }
        return "\(Console.prefix)\(path)?\(Self.formerApp)=\(FormValues.encoded(app.rawValue))"
    }
}

/// A page of an app in the navigation. One that the person can't open is not listed.
struct NavigationItem {
    let section: String
    let path: String
    let role: OperatorRole
    /// The number beside it.
    let count: KeyPath<CountForNavigation.Outcome, Int>?
    /// What the app must have for it to be listed. It can be found and opened without.
    let need: KeyPath<CountForNavigation.Outcome, Bool>?

    private init(
        _ section: String, _ path: String? = nil, role: OperatorRole = .viewer,
        count: KeyPath<CountForNavigation.Outcome, Int>? = nil,
        need: KeyPath<CountForNavigation.Outcome, Bool>? = nil
    ) {
        self.section = section
        self.path = path ?? section
        self.role = role
        self.count = count
        self.need = need
    }

    static var app: [(name: String, items: [NavigationItem])] {
        [
            (
                "players",
                [
                    .init("overview", ""), .init("hand-over", role: .support), .init("members"), .init("refusals"),
                    .init("bans", count: \.bans), .init("ban-templates"), .init("replies"), .init("grace-bans"),
                    .init("withdrawals", count: \.withdrawals),
                    .init("imports", role: ImportRun.role, need: \.hasImports),
                ]
            ),
            ("game", [.init("launching"), .init("test-devices"), .init("kick-out", role: .operator)]),
            ("sign-in", [.init("providers"), .init("accounts"), .init("transfer")]),
            ("keys", [.init("signing-keys", role: .owner), .init("secrets", role: .owner), .init("limits")]),
            ("admin", [.init("start"), .init("alerts", role: .operator), .init("audit", role: .support)]),
        ]
    }

    /// The address below the app's; nil for a page that the navigation does not have, or not for this role.
    static func path(of section: String, as role: OperatorRole) -> String? {
        app.lazy.flatMap(\.items).first { $0.section == section && role >= $0.role }?.path
    }
}

/// What the frame of every page shows besides the page: the apps, and the numbers in the navigation. They are a few seconds old, so that
/// pages cost next to nothing more. No page fails because of them.
final class FrameFacts: Sendable {
    /// An app in the list of apps.
    struct AppRow: Sendable {
        let id: AppID
        let name: String
        /// What players got when the list was read.
        let status: LaunchingStatus
    }

    private static let seconds: Int64 = 5
    private static let capacity = 200

    private struct Counted {
        let counts: CountForNavigation.Outcome
        let at: Moment
    }

    private struct State {
        var apps: [AppRow] = []
        var appsAt: Moment?
        /// By app; without one those of the server alone.
        var counts: [AppID?: Counted] = [:]
    }

    private let state = Mutex(State())

    var apps: [AppRow] { state.withLock { $0.apps } }

    func counts(of app: AppID?) -> CountForNavigation.Outcome? { state.withLock { $0.counts[app]?.counts } }

    /// Makes the next page read everything again, because something was changed.
    func forget() {
        state.withLock { state in
            state.appsAt = nil
            state.counts = [:]
        }
    }

    /// Reads again what is old.
    func refreshApps(for actor: Actor, by actions: Actions, at moment: Moment) async {
        guard !state.withLock({ Self.isFresh($0.appsAt, at: moment) }) else { return }
        guard let found = try? await actions.run(ListApps(), by: actor, at: moment) else { return }
        state.withLock { state in
            state.apps = found.map { AppRow(id: $0.id, name: $0.name, status: $0.status) }
            state.appsAt = moment
        }
    }

    /// The same for the numbers beside the pages of an app, or of the server alone.
    func refreshCounts(of app: AppID?, for actor: Actor, by actions: Actions, at moment: Moment) async {
        guard !state.withLock({ Self.isFresh($0.counts[app]?.at, at: moment) }) else { return }
        guard let counts = try? await actions.run(CountForNavigation(app: app), by: actor, at: moment) else {
            return
        }
        state.withLock { state in
            if state.counts.count >= Self.capacity { state.counts = [:] }
            state.counts[app] = Counted(counts: counts, at: moment)
        }
    }

    private static func isFresh(_ readAt: Moment?, at moment: Moment) -> Bool {
        guard let readAt else { return false }
        return moment < readAt.adding(seconds: seconds)
    }
}

extension PageRequest {
    /// The field of an address, on a page of no app, with the app whose pages the navigation keeps.
    static let formerApp = "in"

    /// The app that the frame is about: that of the page, or the one from which the person has come to a page of no app.
    var frameApp: (id: AppID, name: String, role: OperatorRole)? {
        if let place { return (place.app.id, place.app.name, place.role) }
        guard let id = formerApp, let role = person.role(in: id),
            let app = console.frame.apps.first(where: { $0.id == id })
        else { return nil }
        return (id, app.name, role)
    }

    /// As the address says it, or else the page with the link that the person has followed.
    private var formerApp: AppID? {
        if let named = query[Self.formerApp] { return AppID(named) }
        guard let referrer = request.headers[.referer], referrer.utf8.count <= 2_048,
            let path = referrer.parts(at: "/", atMost: 4, withEmpty: true).last
        else { return nil }
        let parts = path.parts(at: "?", atMost: 2, withEmpty: true)
        if let app = Console.app(of: "/\(parts[0])") { return app }
        return parts.count == 2
            ? (try? FormValues(encoded: parts[1].utf8))?[Self.formerApp].map { AppID($0) } : nil
    }

    /// Reads again what the frame shows, if it is old.
    func readFrame() async {
        let actor = Actor.operator(person, as: person.serverRole)
        await console.frame.refreshApps(for: actor, by: actions, at: moment)
        let named = Console.app(of: request.uri.path).flatMap { id in
            person.role(in: id) != nil && console.frame.apps.contains { $0.id == id } ? id : nil
        }
        let app = named ?? frameApp?.id
        guard app != nil || person.serverRole != nil else { return }
        await console.frame.refreshCounts(of: app, for: actor, by: actions, at: moment)
    }
}

extension Console {
    /// The app to whose pages an address belongs.
    static func app(of path: String) -> AppID? {
        let parts = path.parts(at: "/").map(String.init)
        guard parts.count > 2, parts[0] == "console", parts[1] == "apps", let name = parts[2].percentDecoded,
            !name.utf8.contains(0)
        else { return nil }
        return AppID(name)
    }

    static func address(of app: AppID) -> String { "\(prefix)/apps/\(FormValues.encoded(app.rawValue))" }
}

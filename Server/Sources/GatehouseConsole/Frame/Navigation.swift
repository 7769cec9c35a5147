import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire

extension Visit {
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
                    .init("imports", role: ListImports.role, need: \.hasImports),
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

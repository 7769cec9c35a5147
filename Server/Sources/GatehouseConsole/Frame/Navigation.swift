import GatehouseCore
import GatehouseHTML
import GatehouseSecurity

extension Visit {
    /// The pages that the person may open: those of the app, and those of the server.
    func navigation(_ current: String) -> HTML {
        nav(
            .class("side"), .id("navigation"), Attribute("popover", if: true), .ariaLabel(words("frame.navigation"))
        ) {
            for group in appPages(current) {
                h2 { group.title }
                pages(group.links)
            }
            h2 { words("nav.server") }
            pages(serverPages(current))
        }
    }

    private func pages(_ links: [Link]) -> HTML {
        ul {
            for link in links { li { link.ofPage } }
        }
    }

    private func appPages(_ current: String) -> [(title: String, links: [Link])] {
        guard place != nil else { return [] }
        return NavigationItem.app.map { group, items in
            let links = items.filter { role >= $0.role }.map { item in
                Link(words("nav.\(item.section)"), address(item.path), isCurrent: item.section == current)
            }
            return (words("nav.\(group)"), links)
        }.filter { !$0.links.isEmpty }
    }

    private func serverPages(_ current: String) -> [Link] {
        func page(_ section: String, _ path: String) -> Link {
            Link(words("nav.\(section)"), Console.prefix + path, isCurrent: section == current)
        }
        guard let role = person.serverRole else { return [page("apps", "")] }
        return [page("apps", ""), page("jobs", "/jobs"), page("health", "/health")]
            + (role < .owner ? [] : [page("operators", "/operators"), page("server-audit", "/audit")])
    }
}

/// A page of an app in the navigation. One that the person can't open is not listed.
private struct NavigationItem {
    let section: String
    let path: String
    let role: OperatorRole

    init(_ section: String, _ path: String? = nil, role: OperatorRole = .viewer) {
        self.section = section
        self.path = path ?? section
        self.role = role
    }

    static let app: [(name: String, items: [NavigationItem])] = [
        (
            "players",
            [
                .init("overview", ""), .init("members"), .init("bans"), .init("ban-templates"), .init("grace-bans"),
                .init("withdrawals"),
            ]
        ),
        ("game", [.init("launching"), .init("test-devices"), .init("kick-out", role: .operator)]),
        ("sign-in", [.init("providers"), .init("accounts"), .init("transfer")]),
        ("keys", [.init("signing-keys", role: .owner), .init("secrets", role: .owner), .init("limits")]),
        ("admin", [.init("audit", role: .support)]),
    ]
}

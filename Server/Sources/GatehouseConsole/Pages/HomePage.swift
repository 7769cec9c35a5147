import GatehouseCore
import GatehouseWire
import Hummingbird

extension Console {
    static func addHome(to pages: Pages) {
        pages.server("", as: nil) { visit in
            let apps = try await visit.run(ListApps()).filter { visit.person.role(in: $0.id) != nil }
            var page = Page(visit.words("home.title"), section: "apps")
            page.values = [
                "apps": apps.map { app in
                    [
                        "link": Link(
                            app.name, "\(Console.prefix)/apps/\(FormValues.encoded(app.id.rawValue))"),
                        "id": app.id.rawValue, "status": visit.statusCell(app.status),
                    ] as [String: Any]
                }, "isEmpty": apps.isEmpty,
            ]
            return try await visit.show(page, "home")
        }
    }

    static let homeTemplate = Template(
        "home",
        """
        {{<layout}}{{$content}}
        {{#isEmpty}}<p class="empty">{{t.home.empty}}</p>{{/isEmpty}}
        <ul class="cards">{{#apps}}<li class="card"><h2>{{#link}}<a href="{{address}}"><bdi>{{text}}</bdi></a>{{/link}}</h2><p><code>{{id}}</code></p><p>{{#status}}{{> cell}}{{/status}}</p></li>{{/apps}}</ul>
        {{/content}}{{/layout}}
        """)
}

extension Visit {
    /// An app's status as a state.
    func statusCell(_ status: LaunchingStatus) -> Cell {
        let text = words.optional("status.\(status.rawValue)") ?? String(status.rawValue)
        return Cell(text, badge: status.isPlayable ? "good" : "warn")
    }
}

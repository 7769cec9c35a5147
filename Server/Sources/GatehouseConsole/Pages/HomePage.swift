import GatehouseCore
import GatehouseHTML
import GatehouseWire
import Hummingbird

extension Console {
    static func addHome(to pages: Pages) {
        pages.server("", as: nil) { visit in try await visit.home() }
    }
}

extension Visit {
    fileprivate func home() async throws -> Response {
        let apps = try await run(ListApps()).filter { person.role(in: $0.id) != nil }
        return show(Page(words("home.title"), section: "apps")) {
            if apps.isEmpty { empty("home.empty") }
            ul(.class("cards")) {
                for app in apps {
                    li(.class("card")) {
                        h2 { Link(app.name, "\(Console.prefix)/apps/\(FormValues.encoded(app.id.rawValue))").ofName }
                        p { code { app.id.rawValue } }
                        p { statusCell(app.status) }
                    }
                }
            }
        }
    }

    /// An app's status as a state.
    func statusCell(_ status: LaunchingStatus) -> Cell {
        let text = words.optional("status.\(status.rawValue)") ?? String(status.rawValue)
        return Cell(text, badge: status.isPlayable ? "good" : "warn")
    }
}

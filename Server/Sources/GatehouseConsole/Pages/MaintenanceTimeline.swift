import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire

// The maintenance windows on the page about the service status.
extension Visit {
    /// What is planned, what is now, and what is over, from the future to the past.
    @HTMLBuilder func maintenance(_ window: App.MaintenanceWindow?, _ past: [PastMaintenance]) -> HTML {
        if window == nil { p { words("launching.no-maintenance") } }
        if window == nil, !past.isEmpty, let link = planning(withTextsOf: past[0], text: "maintenance.with-last") {
            Buttons([link])
        }
        if window != nil || !past.isEmpty {
            ol(.class("windows")) {
                if let window { self.window(window) }
                for past in past.prefix(Self.shownWindows) { self.past(past, canPlan: window == nil) }
            }
        }
    }

    private static let shownWindows = 3

    private func window(_ window: App.MaintenanceWindow) -> HTML {
        let isRunning = window.begin <= moment
        return li(.class(isRunning ? "now" : nil)) {
            p {
                Cell(
                    words(isRunning ? "maintenance.running" : "maintenance.is-planned"),
                    badge: isRunning ? "warn" : "plain", note: length(from: window.begin, to: window.end))
            }
            Facts([
                Fact(words("setting.begin"), .time(window.begin, local)),
                Fact(words("setting.end"), .time(window.end, local)),
                Fact(words("setting.url"), Cell(window.url ?? "–")),
                Fact(words("setting.reason-word"), Cell(window.reason ?? "–")),
            ])
            Buttons(
                [
                    offer("maintenance.changed", ["lengthen": "30"], text: words("maintenance.lengthen")),
                    offer("maintenance.changed"),
                ].compactMap { $0 })
        }
    }

    private func past(_ past: PastMaintenance, canPlan: Bool) -> HTML {
        let text = past.message.text(preferring: [words.language], fallback: place?.app.defaultLanguage ?? "en")
        return li(.class("past")) {
            p {
                Cell(words(past.isEndedEarly ? "maintenance.ended-early" : "maintenance.over"), badge: "plain")
                " "
                Cell.time(past.begin, local)
            }
            p(.class("small")) {
                Cell(length(from: past.begin, to: past.end))
                if let text {
                    " · "
                    bdi { text.count > 80 ? "\(text.prefix(79))…" : text }
                }
                if canPlan, let link = planning(withTextsOf: past, text: "maintenance.with-texts") {
                    " · "
                    link
                }
            }
        }
    }

    /// The form of a new window with the texts of one that is over.
    private func planning(withTextsOf past: PastMaintenance, text: String) -> Link? {
        offer("maintenance.planned", ["past": String(past.begin.milliseconds)], text: words(text))
    }
}

import GatehouseCore
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Who is told of an app's verdicts.
extension Console {
    static func addAlerts(to pages: Pages) {
        pages.app("/alerts", as: .operator) { visit in try await visit.alertPage() }
    }
}

extension Visit {
    fileprivate func alertPage() async throws -> Response {
        let receivers = try await run(ListAlertReceivers())
        var page = Page(words("nav.alerts"), section: "alerts")
        page.result = try await resultLine()
        // The outcome of a test comes a moment after it.
        page.isLive = true
        page.actions = AlertReceiver.Kind.allCases.compactMap { kind in
            offer("alert-receiver.added", ["kind": kind.rawValue], text: words("alerts.add.\(kind.rawValue)"))
        }
        let table = Table(
            words("nav.alerts"),
            columns(["alerts.column.receiver", "alerts.column.told", "alerts.column.quiet", "alerts.column.last"]),
            receivers.map { receiver in
                TableRow(
                    [
                        Cell(receiver.hint, note: words("alerts.type.\(receiver.kind.rawValue)")),
                        Cell(text(receiver.wish.summary), note: words("language.\(receiver.wish.language)")),
                        receiver.wish.isOn
                            ? Cell(text(receiver.wish.hours)) : Cell(words("setting.off"), badge: "warn"),
                        delivery(receiver.last),
                    ],
                    actions: mayChange(receiver)
                        ? rowLinks(
                            ["tested", "changed", "removed"].map {
                                ("alert-receiver.\($0)", ["receiver": receiver.id])
                            }) : [])
            }, empty: words("alerts.empty"))
        return showList(page, table.wrapping, intro: words("alerts.intro"))
    }

    private func mayChange(_ receiver: AlertReceiver) -> Bool {
        Actor.operator(person, as: role).mayChange(receiver.wish)
    }

    /// When something was sent last, and what came of it.
    private func delivery(_ last: AlertReceiver.Last?) -> Cell {
        guard let last else { return .missing }
        var cell = Cell.time(last.date, local)
        cell.note = words(
            "alerts.outcome.\(last.outcome.word.rawValue)", ["status": last.outcome.status.map(String.init) ?? "–"])
        return cell
    }
}

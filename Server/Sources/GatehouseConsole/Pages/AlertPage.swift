package import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// Who is told of an app's verdicts.
extension Console {
    static func addAlerts(to pages: Pages) {
        pages.app("/alerts", as: .operator) { page in try await page.alertPage() }
    }
}

extension PageRequest {
    fileprivate func alertPage() async throws -> Response {
        let receivers = try await run(.alertReceivers)
        var page = Page(words("nav.alerts"), section: "alerts")
        page.result = try await resultLine()
        // The outcome of a test comes a moment after it.
        page.isLive = true
        page.actions = AlertReceiver.Kind.allCases.compactMap { kind in
            offer(AddAlertReceiver.self, ["kind": kind.rawValue], text: words("alerts.add.\(kind.rawValue)"))
        }
        let table = Table(
            words("nav.alerts"),
            columns(["alerts.column.receiver", "alerts.column.told", "alerts.column.quiet", "alerts.column.last"]),
            receivers.map { receiver in
                let id = ["receiver": receiver.id]
                return TableRow(
                    [
                        Cell(receiver.hint, note: words("alerts.type.\(receiver.kind.rawValue)")),
                        Cell(text(receiver.wish.summary), note: words("language.\(receiver.wish.language)")),
                        receiver.wish.isOn
                            ? Cell(text(receiver.wish.hours)) : Cell(words("setting.off"), badge: "warn"),
                        delivery(receiver.last),
                    ],
                    actions: mayChange(receiver)
                        ? rowLinks([
                            (TestAlertReceiver.self, id), (ChangeAlertReceiver.self, id),
                            (RemoveAlertReceiver.self, id),
                        ]) : [])
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

/// Puts what receivers of alerts are told into words, with times in the app's zone.
package struct AlertWriter: Sendable {
    private let origin: String

    /// - Parameter origin: where operators reach the console, such as `https://login.example.com`.
    package init(origin: String) {
        self.origin = origin
    }

    package func text(of notice: AlertNotice) -> AlertText {
        let words = Words.of([notice.language])
        let local = LocalTime(zone: notice.app.policy.timeZone, now: notice.moment, words: words)
        let app = Console.prefix + "/apps/\(FormValues.encoded(notice.app.id.rawValue))"
        var name = notice.app.name
        var subject: String
        var text: String
        var link = app
        switch notice.content {
        case .begun(let verdict):
            let state = words("verdict.\(verdict.state.rawValue)")
            subject = words(
                "alerts.says.begun", ["state": state, "verdict": title(of: verdict.kind, verdict.provider, words)])
            text = PhraseFormatter(words: words, local: local).text(verdict.phrase)
            if let page = verdict.page {
                link = page.isOfServer ? "\(Console.prefix)/\(page.path)" : "\(app)/\(page.path)"
            }
            if verdict.kind.isOfServer { name = host }
        case .ended(let kind, let provider, let begunAt):
            subject = words("alerts.says.ended", ["verdict": title(of: kind, provider, words)])
            let length = max(0, notice.moment.milliseconds / 1_000 - begunAt.milliseconds / 1_000)
            text = words(
                "alerts.says.ended-text",
                ["begin": local.absolute(begunAt), "length": local.duration(seconds: UInt64(length))])
            if kind.isOfServer { (name, link) = (host, "\(Console.prefix)/health") }
        case .test:
            subject = words("alerts.says.test")
            text = words("alerts.says.test-text")
            link += "/alerts"
        }
        subject = words("alerts.says.game", ["game": name, "text": subject])
        return AlertText(subject: subject, text: text, link: origin + link)
    }

    /// What operators know the server by.
    private var host: String { URLComponents(string: origin)?.host ?? origin }

    private func title(of kind: AppVerdict.Kind, _ provider: Provider?, _ words: Words) -> String {
        let name = words("alerts.kind.\(kind.rawValue)")
        guard let provider else { return name }
        return words("alerts.says.game", ["game": name, "text": words.providerLabel(provider.rawValue)])
    }
}

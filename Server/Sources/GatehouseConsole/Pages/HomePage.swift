import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

extension Console {
    static func addHome(to pages: Pages) {
        pages.server("", as: nil) { page in try await page.home() }
    }
}

extension PageRequest {
    fileprivate func home() async throws -> Response {
        let cards = try await run(ReadAppCards()).compactMap { card in
            person.role(in: card.app.id).map { role in
                var inApp = self
                inApp.enter(card.app, as: role)
                return AppCard(page: inApp, card: card)
            }
        }
        var page = Page(words("home.title"), section: "apps")
        page.actions = [offer(CreateApp.self, style: "primary")].compactMap { $0 }
        if person.serverRole != nil { page.result = try await resultLine() }
        return show(page) {
            if cards.isEmpty { empty(page.actions.isEmpty ? "home.empty" : "home.none") }
            ul(.class("cards")) { for card in cards { card } }
        }
    }

    /// A status that somebody gets now, as a state. An app's is ``App/currentStatus(at:)``.
    func statusCell(_ status: LaunchingStatus) -> Cell {
        Cell(statusText(status), badge: status.isPlayable ? "good" : "warn")
    }

    func statusText(_ status: LaunchingStatus) -> String {
        words.optional("status.\(status.rawValue)") ?? String(status.rawValue)
    }
}

/// An app on the page of apps: whether it is well, and today's numbers.
private struct AppCard: HTMLPart, Markup {
    /// A request in which the app is entered, for its own addresses.
    let page: PageRequest
    let card: ReadAppCards.Card

    private var words: Words { page.words }

    private func today(_ metric: Metric) -> Int64 { card.days.sums(metric).last ?? 0 }

    var html: HTML {
        li(.class("card")) {
            h2 { Link(card.app.name, page.address("")).ofName }
            p { code { card.app.id.rawValue } }
            p { page.statusCell(card.app.currentStatus(at: page.moment)) }
            for verdict in AppVerdicts(card.app, nil, card.hours, at: page.moment).ofCard {
                p {
                    Cell(words("verdict.\(verdict.state.rawValue)"), badge: verdict.state.badge)
                    " \(page.text(verdict.phrase))"
                }
            }
            dl(.class("facts")) {
                dt { words("home.players") }
                dd { Chart.grouped(today(.activeMember)) }
                dt { words("home.refusals") }
                dd { Chart.grouped(today(.refusedLogin)) }
            }
            line
        }
    }

    /// The active members of the last days as a line.
    @HTMLBuilder private var line: HTML {
        let amounts = card.days.sums(.activeMember).map { max(0, $0) }
        if let most = amounts.max(), most > 0 {
            let points = amounts.enumerated().map { index, amount in
                let y = 30 - 26 * Double(amount) / Double(most)
                return "\(index == 0 ? "M" : "L")\(4 + index * 32) \(ChartAxis.text(y))"
            }
            svg(
                .class("spark"), .role("img"), .viewBox("0 0 200 34"),
                .ariaLabel(words("home.week", ["amounts": amounts.map(Chart.grouped).joined(separator: ", ")]))
            ) { path(.class("s0 line"), .d(points.joined())) }
        }
    }
}

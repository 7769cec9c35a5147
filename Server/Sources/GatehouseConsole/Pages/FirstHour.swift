import GatehouseCore
import GatehouseHTML
import GatehouseSecurity
import GatehouseWire
import Hummingbird

/// The way of an app to its first players.
extension Console {
    static func addStart(to pages: Pages) {
        pages.app("/start") { page in try await page.startPage() }
    }
}

extension PageRequest {
    /// How long a page waits for the first player before it looks again.
    static let arrivalSeconds = 10

    fileprivate func startPage() async throws -> Response {
        let first = try await run(.firstHour)
        var page = Page(words("nav.start"), section: "start")
        page.actions = [offer(RenameApp.self)].compactMap { $0 }
        page.result = try await resultLine()
        page.refreshSeconds = first.player == nil ? Self.arrivalSeconds : nil
        // What was opened before the first player came is told of the player.
        page.isLive = first.player == nil || isLive
        let app = try app()
        var card = SectionCard(words("start.app"))
        card.facts = [
            Fact(words("apps.name"), Cell(app.name)), Fact(words("apps.id"), .code(app.id.rawValue)),
            Fact(words("start.address"), .code(publicURL)),
        ]
        let content = try firstHour(first)
        return show(page) {
            livePart("live-start") { content }
            card
        }
    }

    /// What is done and what is not, and code with which a game begins.
    func firstHour(_ first: FirstHour) throws -> HTML {
        let (steps, code) = (self.steps(first), try startCode(first))
        return HTML([steps, code])
    }

    // MARK: Steps

    private func steps(_ first: FirstHour) -> HTML {
        card("start.steps", id: "first-steps") {
            p(.class("small")) {
                words(
                    "start.count",
                    ["count": Words.number(first.done.count), "total": Words.number(FirstHour.Step.allCases.count)])
            }
            ol(.class("verdicts first-steps")) {
                for step in FirstHour.Step.allCases { li { line(step, first) } }
            }
        }
    }

    @HTMLBuilder private func line(_ step: FirstHour.Step, _ first: FirstHour) -> HTML {
        let done = first.done[step]
        Cell(words(done == nil ? "start.open" : "start.done"), badge: done == nil ? "plain" : "good")
        span {
            words("start.step.\(step.rawValue)")
            if let since = done?.since {
                " "
                span(.class("small")) { sinceText(step, since) }
            }
        }
        if let link = link(of: step, first) { link }
    }

    private func sinceText(_ step: FirstHour.Step, _ since: Moment) -> String {
        words(
            step == .secret ? "start.last" : "start.since",
            ["date": local.absolute(since), "when": local.relative(since)])
    }

    /// Where a step is done, or what came of it; nil for a person who may not go there.
    private func link(of step: FirstHour.Step, _ first: FirstHour) -> Link? {
        let isDone = first.done[step] != nil
        switch step {
        case .player:
            guard let user = first.player else { return Link(words("start.code"), "#code") }
            return Link(words("start.see-player"), memberLink(user))
        case .secret: return may(.owner) ? Link(words("nav.secrets"), address("secrets")) : nil
        case .provider, .test: return Link(words("nav.providers"), address("providers"))
        case .device:
            let add = isDone ? nil : offer(AddTestDevice.self)
            return add ?? Link(words("nav.test-devices"), address("test-devices"))
        case .maintenance:
            let plan = isDone ? nil : offer(PlanMaintenance.self)
            return plan ?? Link(words("nav.launching"), address("launching"))
        case .owner:
            guard person.serverRole == .owner else { return nil }
            return Link(words("nav.operators"), "\(Console.prefix)/operators")
        }
    }

    // MARK: Code

    private func startCode(_ first: FirstHour) throws -> HTML {
        let chosen = query["code"].flatMap { StartCode(rawValue: $0) } ?? .swift
        let text = chosen.text(app: try app().id, address: publicURL)
        return card("start.code", id: "code") {
            nav(.class("ranges"), .ariaLabel(words("start.language"))) {
                ul {
                    for code in StartCode.allCases {
                        li {
                            Link(
                                code.name,
                                address(with: ["code": code.rawValue, Self.renewal: nil, "done": nil]) + "#code",
                                isCurrent: code == chosen)
                        }
                    }
                }
            }
            p { words(chosen.isOfGame ? "start.of-game" : "start.of-server") }
            pre(.tabindex(0)) { code(Attribute("data-copy", words("provider.copy"))) { text } }
            p(.class("small"), .role("status")) {
                words(first.player == nil ? "start.waiting" : "start.arrived")
            }
        }
    }
}

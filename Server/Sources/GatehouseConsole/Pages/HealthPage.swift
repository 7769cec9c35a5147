import GatehouseCore
import GatehouseHTML
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire
import HTTPTypes
import Hummingbird
import NIOCore

/// What the console knows of the process in which it runs.
package struct ServerFacts: Sendable {
    /// The settings in force, without secrets: names and values.
    package var settings: [(name: String, value: String)]
    package var residentBytes: @Sendable () -> Int

    package init(
        settings: [(name: String, value: String)] = [], residentBytes: @escaping @Sendable () -> Int = { 0 }
    ) {
        self.settings = settings
        self.residentBytes = residentBytes
    }
}

/// One finding about the server: a sentence, and what to do if it is not good.
private struct Finding {
    let text: String
    /// Nil for a good one.
    var advice: String?
    var isBad = false

    var style: String { advice == nil ? "good" : isBad ? "bad" : "warn" }
}

extension PageRequest {
    /// - Parameter isGone: whether the database does not answer. Then the page says what the process knows by itself.
    func healthPage(_ isGone: Bool) async throws -> Response {
        let health = try await health(isGone)
        var page = Page(words("nav.health"), section: "health")
        page.actions = [Link(words("health.as-text"), "\(Console.prefix)/health/text")]
        // Somebody with a role on the server is told of it by the receivers of an app.
        if let app = frameApp, app.role >= AlertReceiver.role {
            page.actions.append(Link(words("nav.alerts"), Console.address(of: app.id) + "/alerts"))
        }
        page.refreshSeconds = 60
        page.isLive = true
        return show(page) {
            livePart("live-findings") {
                section(.class("card")) {
                    ul(.class("findings")) { for finding in findings(health) { item(finding) } }
                }
            }
            livePart("live-server") {
                card("health.server") {
                    Facts(facts(health))
                }
            }
            if let health { section(.class("card")) { nodes(health) } }
            card("health.settings") {
                dl(.class("facts")) {
                    for setting in console.settings.facts.settings {
                        dt { code { setting.name } }
                        dd { Cell(setting.value) }
                    }
                }
            }
        }
    }

    private func item(_ finding: Finding) -> HTML {
        li {
            Cell(words("health.\(finding.style)"), badge: finding.style)
            " "
            span {
                finding.text
                if let advice = finding.advice {
                    " "
                    strong { advice }
                }
            }
        }
    }

    @HTMLBuilder private func nodes(_ health: ReadHealth.Outcome) -> HTML {
        h2 { words("health.nodes") }
        Table(
            words("health.nodes"), [words("health.node"), words("health.seen")],
            health.nodes.map { TableRow([.code($0.name), .time($0.seenAt, local)]) }, empty: words("health.no-nodes"))
    }

    /// The page as text, for an issue.
    func healthText(_ isGone: Bool) async throws -> Response {
        let health = try await health(isGone)
        let lines =
            findings(health).map { "[\($0.style)] \($0.text)\($0.advice.map { " \($0)" } ?? "")" } + [""]
            + facts(health).map { "\($0.label): \($0.value.text)" } + [""]
            + console.settings.facts.settings.map { "\($0.name) = \($0.value)" }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: .init(byteBuffer: ByteBuffer(string: lines.joined(separator: "\n") + "\n")))
    }

    /// Nil if the database does not answer.
    private func health(_ isGone: Bool) async throws -> ReadHealth.Outcome? {
        guard !isGone else { return nil }
        do {
            return try await run(ReadHealth())
        } catch  where Console.isGone(error) {
            _ = console.refusal(for: error, context)
            return nil
        }
    }

    private var outage: Finding {
        let text = actions.services.outage.since.map { since in
            words("health.no-database-since", ["moment": local.absolute(since), "ago": local.relative(since)])
        }
        return Finding(
            text: text ?? words("health.no-database"), advice: words("health.no-database-advice"), isBad: true)
    }

    private func findings(_ health: ReadHealth.Outcome?) -> [Finding] {
        guard let health else { return [outage] }
        return ServerVerdicts(health, at: moment).all.map { verdict in
            Finding(
                text: text(verdict.phrase), advice: verdict.state == .good ? nil : advice(on: verdict.kind),
                isBad: verdict.state == .bad)
        }
    }

    private func advice(on kind: AppVerdict.Kind) -> String? {
        switch kind {
        case .slowDatabase: words("health.database-advice")
        case .fullDisk: words("health.disk-advice")
        case .lateDeadlines: words("health.sweeper-advice")
        case .lateJobs: words("health.jobs-advice")
        case .serverDeadJobs: words("health.dead-advice")
        case .wrongClock: words("health.clock-advice")
        case .lostNodes: words("health.gone-advice")
        default: nil
        }
    }

    private func facts(_ health: ReadHealth.Outcome?) -> [Fact] {
        let uptime = moment.milliseconds.subtractingReportingOverflow(console.startedAt.milliseconds).partialValue
        let megabytes = console.settings.facts.residentBytes() / 1_048_576
        return [
            Fact(words("health.version"), Cell(GatehouseVersion.current)),
            Fact(
                words("health.uptime"),
                Cell(
                    local.duration(seconds: UInt64(max(0, uptime / 1_000))),
                    note: words("health.since", ["moment": local.absolute(console.startedAt)]))),
            Fact(words("health.memory"), Cell("\(megabytes) MB")),
        ] + (health.map(facts) ?? []) + [Fact(words("health.time"), .time(moment, local))]
    }

    private func facts(_ health: ReadHealth.Outcome) -> [Fact] {
        [
            Fact(words("health.kind"), Cell(health.database)),
            Fact(
                words("health.waiting"),
                Cell(
                    words(
                        "health.waiting-work",
                        ["reads": Words.number(health.waiting.reads), "writes": Words.number(health.waiting.writes)]))),
            Fact(
                words("nav.jobs"),
                Cell(
                    words(
                        "health.job-counts",
                        ["waiting": Words.number(health.jobs.waiting), "dead": Words.number(health.jobs.dead)]),
                    link: "\(Console.prefix)/jobs")),
        ]
    }
}

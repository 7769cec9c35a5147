import Foundation
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import ServiceLifecycle
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// The overview of an app, through the console.
@Suite struct OverviewConsoleTests {
    private static let overview = "/console/apps/\(TestServer.app)"
    private static let entry = "entry-of-the-overview"

    /// A server with the console, and the service that writes down its numbers.
    private struct Scene: Sendable {
        let server: TestServer
        let counts: CountService
        let cookie: String

        func get(_ path: String) async throws -> TestAnswer {
            try await server.send(TestCall(method: .get, path: path, headers: ["Cookie": cookie]))
        }

        /// The same after another sign-in, because a session does not outlive days.
        func signedIn() async throws -> Scene {
            let answer = try await server.send(
                TestCall(method: .get, path: "/console/enter/\(OverviewConsoleTests.entry)"))
            let cookie = String((answer.headers[.setCookie] ?? "").prefix { $0 != ";" })
            return Scene(server: server, counts: counts, cookie: cookie)
        }

        /// The cells of a chart's table, a row for each bucket, the newest first. The overview leads to the chart's page, and that to
        /// the older rows.
        func table(_ chart: String, _ query: String = "") async throws -> [[String]] {
            let overview = try await get(OverviewConsoleTests.overview + query)
            #expect(overview.status == 200, "\(overview.text.suffix(800))")
            let links = ConsolePage(path: query, answer: overview).links
            var next = links.first { $0.contains("/numbers/\(chart)?") }
            #expect(next != nil)
            var rows: [[String]] = []
            while let path = next {
                let page = try await get(path)
                #expect(page.status == 200, "\(page.text.suffix(800))")
                let body = page.text.components(separatedBy: "<tbody>").dropFirst().first ?? ""
                rows += body.components(separatedBy: "<tr>").dropFirst().map { row in
                    row.matches(of: /<td>([^<]*)/).map { String($0.output.1).trimmingCharacters(in: .whitespaces) }
                }
                next = ConsolePage(path: path, answer: page).older
            }
            return rows
        }
    }

    private static func open(on engine: Engine, _ test: @escaping @Sendable (Scene) async throws -> Void) async throws {
        var configuration = TestServer.configuration()
        configuration.console?.entry = entry
        configuration.console?.pagesPerSecond = 0
        try await TestServer.open(on: engine) { [configuration] server in
            let node = try await GatehouseServer(
                configuration: configuration, database: server.database,
                vault: KeyVault(masterKey: TestServer.vaultKey),
                environment: server.clock.environment(server.idps), audit: server.audit.log, logger: quiet)
            let counts = try #require(node.services.lazy.compactMap { $0 as? CountService }.first)
            try await node.application.test(.live) { client in
                let node = TestServer(
                    client: client, database: server.database, location: server.location,
                    administration: server.administration, clock: server.clock, audit: server.audit,
                    secret: server.secret,
                    idps: server.idps)
                let answer = try await node.send(TestCall(method: .get, path: "/console/enter/\(entry)"))
                let cookie = String((answer.headers[.setCookie] ?? "").prefix { $0 != ";" })
                try await test(Scene(server: node, counts: counts, cookie: cookie))
            }
        }
    }

    private static let quiet: Logger = {
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        return logger
    }()

    @Test("An app without players says how the first one is made", arguments: Engine.ofDoors)
    func first(engine: Engine) async throws {
        try await Self.open(on: engine) { scene in
            let page = try await scene.get(Self.overview)
            #expect(page.status == 200 && page.text.contains("Waiting for the first player."))
            #expect(page.text.contains("appID: &quot;\(TestServer.app)&quot;"))
            #expect(page.text.contains("string: &quot;\(TestServer.origin)&quot;"))
            #expect(!page.text.contains("<figure"))
        }
    }

    @Test("UI-OVER-2 One login more is one more in its hour, in the table and in the file", arguments: Engine.ofDoors)
    func oneMore(engine: Engine) async throws {
        try await Self.open(on: engine) { scene in
            let device = TestDevice()
            for count in 1...2 {
                _ = try await scene.server.guest(device)
                try await scene.counts.services.writeCounts()
                let rows = try await scene.table("logins", "?range=24h")
                // The hours before the first player are left out, up to a few.
                #expect(rows.first?.dropFirst() == ["\(count)"] && rows.count == 7)
            }
            #expect(try await scene.table("new", "?range=7d").first?.dropFirst() == ["1", "0", "1"])
            #expect(try await scene.table("active", "?range=90d").first?.dropFirst() == ["1", "1"])
            let file = try await scene.get("\(Self.overview)/numbers/logins.csv?range=7d")
            #expect(file.headers[.contentType] == "text/csv; charset=utf-8")
            let lines = file.text.split(whereSeparator: \.isNewline)
            #expect(lines.count == 8 && lines.first?.contains("\"Guest\"") == true)
            #expect(lines.last?.hasSuffix(",2") == true)
            // The days before the first player are a gap.
            #expect(lines[1].hasSuffix(","))
            #expect(try await scene.get("\(Self.overview)/numbers/none.csv").status == 404)
        }
    }

    @Test("Every range and hostile values of the address show a page", arguments: Engine.ofDoors)
    func ranges(engine: Engine) async throws {
        try await Self.open(on: engine) { scene in
            _ = try await scene.server.guest(TestDevice())
            try await scene.counts.services.writeCounts()
            // The time before the app was there is left out, up to a few hours, days or weeks.
            for query in [
                "?range=24h", "?range=30d&compare=1", "?range=90d", "?range=13m", "?range=%3Cscript%3E&compare=%00", "",
            ] {
                #expect(try await scene.table("logins", query).count == 7, "\(query)")
            }
            scene.server.clock.advance(seconds: 9 * 86_400)
            _ = try await scene.server.guest(TestDevice())
            try await scene.counts.services.writeCounts()
            let later = try await scene.signedIn()
            #expect(try await later.table("logins", "?range=24h").count == 24)
            #expect(try await later.table("logins", "?range=30d").count == 10)
            scene.server.clock.advance(seconds: 40 * 86_400)
            #expect(try await scene.get(Self.overview).status != 500)
        }
    }

    @Test("Today stands above its chart and on the page of apps, with the change against yesterday")
    func today() async throws {
        try await Self.open(on: .sqlite) { scene in
            // Two days have passed when yesterday is counted from its beginning.
            for (count, days) in [(1, 0), (2, 1), (3, 2)] {
                if days > 0 { scene.server.clock.advance(seconds: 86_400) }
                for _ in 0..<count { _ = try await scene.server.guest(TestDevice()) }
                try await scene.counts.services.writeCounts()
            }
            let later = try await scene.signedIn()
            let page = try await later.get(Self.overview)
            let numbers = page.text.components(separatedBy: "class=\"key-numbers\"").dropFirst().first ?? ""
            #expect(numbers.contains("<strong>3</strong> today"), "\(numbers.prefix(600))")
            let figure = page.text.components(separatedBy: "id=\"new-c\"").dropFirst().first ?? ""
            #expect(figure.prefix(400).contains("<strong>3</strong> today"), "\(figure.prefix(400))")
            let apps = try await later.get("/console")
            let card = apps.text.components(separatedBy: "<li class=\"card\">").first {
                $0.contains(TestServer.app.rawValue)
            }
            #expect(card?.contains("<dt>Players today</dt><dd>3</dd><dt>Refused today</dt><dd>0</dd>") == true)
            #expect(card?.contains("Active members of the last seven days: 0, 0, 0, 0, 1, 2, 3") == true)
        }
    }

    @Test(
        "A chart's sentence says that it leaves out today where it compares with the period before",
        arguments: [
            (10, "33 new members in 7 days. Without today, as many as in the previous period."),
            (15, "38 new members in 7 days. Without today, 50% more than in the previous period."),
            (9, "32 new members in 7 days. Without today, 10% fewer than in the previous period."),
            (10_001, "10,024 new members in 7 days. Without today, 99,910% more than in the previous period."),
        ] as [(Int64, String)])
    func comparison(past: Int64, sentence: String) async throws {
        try await TestServer.openConsole(on: .sqlite) { server in
            let kim = try await server.person("kim", .viewer)
            let today = server.clock.now.day
            // The last of a period's seven days is today, or the same day of the week before.
            let counts: [(metric: Metric, age: Int64, amount: Int64)] = [
                (.activeMember, 30, 1), (.newMember, 0, 23), (.newMember, 1, past), (.newMember, 7, 41),
                (.newMember, 8, 10),
            ]
            try await server.database.transact { tx in
                for count in counts {
                    let key = Tally.Key(
                        app: TestServer.app, unit: .day, metric: count.metric, bucket: Moment(day: today - count.age),
                        label: "guest")
                    try CountQueries.add(count.amount, to: key, in: tx)
                }
            }
            for path in ["\(Self.overview)?range=7d", "\(Self.overview)/numbers/new?range=7d"] {
                let page = try await kim.get(path)
                #expect(page.text.contains(sentence), "\(page.text)")
            }
        }
    }

    @Test("The values of a chart are those of its table, and lead to the refused calls that they count")
    func values() async throws {
        struct Values: Decodable {
            let text: String
            let address: String?
        }
        try await Self.open(on: .sqlite) { scene in
            _ = try await scene.server.guest(TestDevice())
            try await scene.counts.services.writeCounts()
            for query in ["?range=7d", "?range=7d&of=overview", "?range=24h", "?range=13m&of=overview"] {
                let answer = try await scene.get("\(Self.overview)/numbers/logins.json\(query)")
                #expect(answer.status == 200 && answer.headers[.contentType] == "application/json")
                let values = try answer.decoded(as: [Values].self)
                #expect(values.last?.text.hasSuffix("\nGuest: 1") == true && values.last?.address == nil, "\(query)")
            }
            let refusals = try await scene.get("\(Self.overview)/numbers/refusals.json?range=7d")
            for value in try refusals.decoded(as: [Values].self) {
                #expect(value.address?.hasPrefix("\(Self.overview)/refusals?since=") == true)
            }
            for name in ["none.json", "logins.jso", ".json"] {
                #expect(try await scene.get("\(Self.overview)/numbers/\(name)").status == 404)
            }
        }
    }

    @Test("A server that stops writes down what it has counted", arguments: Engine.ofDoors)
    func stop(engine: Engine) async throws {
        try await Self.open(on: engine) { scene in
            _ = try await scene.server.guest(TestDevice())
            let (running, continuation) = AsyncStream.makeStream(of: Void.self)
            let group = ServiceGroup(
                services: [scene.counts, Herald(running: continuation)], gracefulShutdownSignals: [],
                logger: Self.quiet)
            async let run: Void = group.run()
            for await _ in running { break }
            await group.triggerGracefulShutdown()
            try await run
            #expect(try await scene.table("new").first?.last == "1")
        }
    }

    /// Tells that the services run.
    private struct Herald: Service {
        let running: AsyncStream<Void>.Continuation

        func run() async throws {
            running.yield()
            try await gracefulShutdown()
        }
    }
}

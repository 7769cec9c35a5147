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
    private static let overview = "/console/apps/\(World.app)"
    private static let entry = "entry-of-the-overview"

    /// A server with the console, and the service that writes down its numbers.
    private struct Scene: Sendable {
        let world: World
        let counts: CountService
        let cookie: String

        func get(_ path: String) async throws -> TestAnswer {
            try await world.send(TestCall(method: .get, path: path, headers: ["Cookie": cookie]))
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
        var configuration = World.configuration()
        configuration.console?.entry = entry
        configuration.console?.pagesPerSecond = 0
        try await World.open(on: engine) { [configuration] world in
            let server = try await GatehouseServer(
                configuration: configuration, database: world.database, vault: KeyVault(masterKey: World.vaultKey),
                environment: world.clock.environment(world.idps), audit: world.audit.log, logger: quiet)
            let counts = try #require(server.services.lazy.compactMap { $0 as? CountService }.first)
            try await server.application.test(.live) { client in
                let node = World(
                    client: client, database: world.database, location: world.location,
                    administration: world.administration, clock: world.clock, audit: world.audit, secret: world.secret,
                    idps: world.idps)
                let answer = try await node.send(TestCall(method: .get, path: "/console/enter/\(entry)"))
                let cookie = String((answer.headers[.setCookie] ?? "").prefix { $0 != ";" })
                try await test(Scene(world: node, counts: counts, cookie: cookie))
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
            #expect(page.status == 200 && page.text.contains("No player yet"))
            #expect(page.text.contains("appID: &quot;\(World.app)&quot;"))
            #expect(page.text.contains("string: &quot;\(World.origin)&quot;"))
            #expect(!page.text.contains("<figure"))
        }
    }

    @Test("UI-OVER-2 One login more is one more in its hour, in the table and in the file", arguments: Engine.ofDoors)
    func oneMore(engine: Engine) async throws {
        try await Self.open(on: engine) { scene in
            let device = TestDevice()
            for count in 1...2 {
                _ = try await scene.world.guest(device)
                try await scene.counts.services.writeCounts()
                let rows = try await scene.table("logins", "?range=24h")
                #expect(rows.first?.dropFirst() == ["\(count)"] && rows.count == 24)
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
            _ = try await scene.world.guest(TestDevice())
            try await scene.counts.services.writeCounts()
            for (query, rows) in [
                // The weeks before the app was there are left out.
                ("?range=24h", 24), ("?range=30d&compare=1", 30), ("?range=90d", 90), ("?range=13m", 1),
                ("?range=%3Cscript%3E&compare=%00", 7), ("", 7),
            ] {
                #expect(try await scene.table("logins", query).count == rows, "\(query)")
            }
            scene.world.clock.advance(seconds: 40 * 86_400)
            #expect(try await scene.get(Self.overview).status != 500)
        }
    }

    @Test("A server that stops writes down what it has counted", arguments: Engine.ofDoors)
    func stop(engine: Engine) async throws {
        try await Self.open(on: engine) { scene in
            _ = try await scene.world.guest(TestDevice())
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

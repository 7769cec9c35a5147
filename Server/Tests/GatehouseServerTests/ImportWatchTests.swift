import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// What the log and the metrics say of imported players who are not recognized.
@Suite struct ImportWatchTests {
    private func count(_ new: Int64, in server: TestServer) async throws {
        let key = Tally.Key(
            app: TestServer.app, unit: .hour, metric: .newMember, bucket: server.clock.now.hourBegin, label: "twitter")
        try await server.database.transact { tx in try CountQueries.add(new, to: key, in: tx) }
    }

    @Test(
        "A change of state is one line of the log, and the metric has it as long as it lasts", arguments: Engine.ofDoors
    )
    func told(engine: Engine) async throws {
        try await TestServer.open(on: engine) { server in
            let (journal, metrics) = (LogJournal(), ServerMetrics())
            let service = ImportWatchService(
                watcher: ImportWatcher(services: try server.services()), metrics: metrics, logger: journal.logger)
            func lines(_ word: String) -> [String] { journal.lines.filter { $0.contains(word) } }
            func metric() -> String? {
                metrics.registry.text().split(separator: "\n").first { $0.hasPrefix("gatehouse_import_mismatches{") }
                    .map(String.init)
            }
            try await service.look()
            #expect(journal.lines.isEmpty && metric() == nil)
            try await server.insert(TestServer.importRun("1", at: server.clock.now) { $0.identities = ["twitter": 2] })
            server.clock.advance(seconds: 2 * 3_600)
            try await service.look()
            #expect(journal.lines.isEmpty && metric() == #"gatehouse_import_mismatches{idp="twitter"} 0"#)
            try await count(201, in: server)
            for _ in 0..<3 { try await service.look() }
            let line = try #require(journal.lines.first)
            #expect(journal.lines.count == 1 && line.contains("imported players are not recognized"))
            for part in ["game", "twitter", "201"] { #expect(line.contains(part), "\(line)") }
            #expect(metric() == #"gatehouse_import_mismatches{idp="twitter"} 1"#)
            server.clock.advance(seconds: 8 * 86_400)
            for _ in 0..<2 { try await service.look() }
            #expect(lines("is over").count == 1 && journal.lines.count == 2)
            #expect(metric() == #"gatehouse_import_mismatches{idp="twitter"} 0"#)
        }
    }
}

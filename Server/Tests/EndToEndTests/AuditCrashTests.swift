import Foundation
import Gatehouse
import GatehouseStorage
import GatehouseTesting
import Synchronization
import TestDatabases
import Testing

/// No change of an account goes untold, however a server ends.
@Suite(.serialized, .timeLimit(.minutes(10))) struct AuditCrashTests {
    @Test(
        "REL-1: a server that is killed and started again has an audit line for every entry of the ledger",
        arguments: Engine.available)
    func killed(engine: Engine) async throws {
        try await withDatabaseURL(engine) { location in
            try await withFolder { folder in
                let database = ["--database", location, "--key-file", folder.appendingPathComponent("key").path]
                _ = try await Command.createApp("game", database, in: folder)
                _ = try await Command.run(["app", "transfer", "game", "--on"] + database, in: folder)
                var told = Set<String>()
                for round in 1...3 {
                    let server = try await ServingCommand.start(["serve"] + database, in: folder)
                    let lines = Task { await server.command.finish().lines }
                    let url = try URL(string: server.url).unwrapped()
                    let lives = Lives()
                    await withTaskGroup(of: Void.self) { group in
                        for _ in 0..<8 {
                            group.addTask {
                                while (try? await Self.play(url)) != nil {
                                    // The moment differs from round to round, and falls amid the calls of seven others.
                                    if lives.add() > 20 * round { server.command.signal(SIGKILL) }
                                }
                            }
                        }
                    }
                    server.command.signal(SIGKILL)
                    told.formUnion(Self.auditIDs(in: server.greeting + (await lines.value)))
                }
                told.formUnion(try await Self.recovered(database, in: folder))
                let entries = try await withOpen(DatabaseLocation(location)) { database in
                    try await database.rows("SELECT entry_id FROM ledger") { row in try row[0] as String }
                }
                #expect(entries.count > 120)
                #expect(Set(entries).subtracting(told).isEmpty)
            }
        }
    }

    private final class Lives: Sendable {
        private let count = Mutex(0)

        /// Returns the current number.
        func add() -> Int {
            count.withLock { count in
                count += 1
                return count
            }
        }
    }

    /// The life of a guest that moves to another device: three changes of its account.
    private static func play(_ url: URL) async throws {
        let (phone, tablet) = (device(url), device(url))
        try await phone.start()
        _ = try await phone.logIn(with: .guest)
        let account = try await phone.issueTransferAccount()
        try await tablet.start()
        _ = try await tablet.redeemTransferAccount(id: account.id, password: account.password.unwrapped())
    }

    private static func device(_ url: URL) -> GatehouseClient {
        var configuration = LiveServer.configuration(url, MemoryStorage())
        // A killed server does not answer a retry.
        configuration.retries = 0
        return GatehouseClient(configuration)
    }

    /// The lines of a server that starts on the data and stops in order.
    private static func recovered(_ database: [String], in folder: URL) async throws -> Set<String> {
        let server = try await ServingCommand.start(["serve"] + database, in: folder)
        server.command.signal(SIGTERM)
        let result = await server.command.finish()
        #expect(result.status == 0)
        return auditIDs(in: server.greeting + result.lines)
    }

    private static func auditIDs(in lines: [String]) -> Set<String> {
        Set(lines.compactMap { $0.firstMatch(of: /"auditId":"([^"]+)"/).map { String($0.output.1) } })
    }
}

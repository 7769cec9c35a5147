import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import Logging
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// What a server makes of slow hashes. How they are computed is proven in the core's tests.
@Suite struct PasswordTests {
    @Test("TRF-3: passwords are hashed as OWASP asks for with 16 MiB: N = 2^14, r = 8, p = 5")
    func cost() {
        let configuration = ServerConfiguration(publicOrigins: .loopback)
        #expect(configuration.passwordCost == 14)
        #expect(configuration.passwordParallelism == 5)
    }

    @Test("Whoever drops a server ends the threads of its hasher", .timeLimit(.minutes(1)))
    func droppedServer() async throws {
        try await withDatabase(.sqlite, migrations: Migration.all) { database, _ in
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            var node: GatehouseServer? = try await GatehouseServer(
                configuration: TestServer.configuration(), database: database,
                vault: KeyVault(masterKey: TestServer.vaultKey), environment: TestServer.Clock().environment(),
                audit: TestServer.Journal().log, logger: logger)
            let origin = HashShares.Origin(app: "game", network: nil)
            _ = try await node?.hasher.hash("p", for: origin, random: .live)
            let queue = try #require(node?.hasher.queue)
            weak let hasher = node?.hasher
            node = nil
            #expect(hasher == nil)
            await queue.ended()
        }
    }
}

import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import HummingbirdTesting
import Logging
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// Clients that disconnect before their response.
@Suite struct DepartureTests {
    private static let tls = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .appendingPathComponent("EndToEndTests/TLS")

    @Test(
        "REL-9: a login that waits for an identity provider ends when its client goes, over HTTP/1.1 and HTTP/2",
        .timeLimit(.minutes(5)), arguments: ["http/1.1", "h2"])
    func departure(version: String) async throws {
        try await TestServer.open(on: .sqlite) { server in
            let (began, beginning) = AsyncStream.makeStream(of: Void.self)
            let (ended, end) = AsyncStream.makeStream(of: Bool.self)
            var environment = server.clock.environment()
            environment.fetch = { _ in
                beginning.yield()
                // The provider never responds.
                for await _ in AsyncStream.makeStream(of: Never.self).stream {}
                end.yield(Task.isCancelled)
                throw CancellationError()
            }
            var configuration = TestServer.configuration()
            configuration.tls = .init(
                certificateChain: Self.tls.appendingPathComponent("certificate.pem").path,
                privateKey: Self.tls.appendingPathComponent("key.pem").path)
            configuration.port = 0
            let metrics = ServerMetrics()
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let node = try await GatehouseServer(
                configuration: configuration, database: server.database,
                vault: KeyVault(masterKey: TestServer.vaultKey), environment: environment, audit: server.audit.log,
                metrics: metrics, logger: logger)
            let path = TestCall.path(Endpoints.logIn.template)
            let proof = try TestDevice().proof("POST", path, at: server.clock.now)
            let credential = try JSONEncoder().encode(server.idps.credential(.facebook, for: "alice"))
            try await node.application.test(.ahc(.https)) { client in
                let client = try ChildProcess(
                    "/usr/bin/python3",
                    [
                        Self.tls.appendingPathComponent("hostile_client.py").path, "\(try #require(client.port))",
                        Self.tls.appendingPathComponent("certificate.pem").path, "leave", version, path, proof,
                        String(decoding: credential, as: UTF8.self),
                    ])
                let (exits, exit) = AsyncStream.makeStream(of: Int32.self)
                client.follow { _ in
                } end: {
                    exit.yield($0)
                }
                #expect(await began.first { true } != nil)
                #expect(metrics.registry.text().contains("gatehouse_http_requests_in_flight 1\n"))
                client.signal(SIGUSR1)
                #expect(await ended.first { _ in true } == true)
                // The work has ended, and the place is free a moment later.
                while !metrics.registry.text().contains("gatehouse_http_requests_in_flight 0\n") {
                    try await Task.sleep(for: .milliseconds(1))
                }
                client.signal(SIGUSR1)
                #expect(await exits.first { _ in true } == 0)
            }
            #expect(try await server.rowCounts().first == 0)
        }
    }

    @Test("IDP-13: calls that their clients have given up do not close the way to a provider, and free their places")
    func gateway() async throws {
        let isDown = Mutex(true)
        var environment = TestServer.Clock().environment()
        environment.fetch = { _ in
            if isDown.withLock({ $0 }) { for await _ in AsyncStream.makeStream(of: Never.self).stream {} }
            try Task.checkCancellation()
            return OutgoingResponse(status: 200, body: Data())
        }
        let gateway = ProviderGateway(environment: environment)
        let share = ProviderGateway.Share(app: TestServer.app, provider: .facebook)
        let request = OutgoingRequest(method: "GET", url: "https://idp.example.com")
        for _ in 0..<100 {
            let call = Task { try await gateway.fetch(request, of: share) }
            call.cancel()
            await #expect(throws: CancellationError.self) { try await call.value }
        }
        isDown.withLock { $0 = false }
        #expect(try await gateway.fetch(request, of: share).status == 200)
    }
}

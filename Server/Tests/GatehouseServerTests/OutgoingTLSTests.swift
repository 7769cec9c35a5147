import FakeProviders
import Foundation
import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import HummingbirdTesting
import Logging
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

@Suite struct OutgoingTLSTests {
    /// Only a hang takes so long, however busy the machine is.
    private static let patienceSeconds: Int64 = 240
    private static let environment = ServerEnvironment.live(reachesLocal: true, providerSeconds: patienceSeconds)

    @Test("NET-3: the server's own requests offer TLS 1.2 and newer, and nothing older", .timeLimit(.minutes(5)))
    func versions() async throws {
        let listener = try LoopbackListener(patienceSeconds: Int(Self.patienceSeconds))
        async let hello = firstBytes(of: listener)
        let fetch = Task {
            try await Self.environment.fetch(
                OutgoingRequest(method: "GET", url: "https://127.0.0.1:\(listener.port)/"))
        }
        // RFC 8446 section 4.2.1: the extension 43 has a length, a list's length, and two bytes for each version.
        let bytes = try await hello
        fetch.cancel()
        let place = try #require(
            bytes.indices.first { index in
                bytes.count > index + 5 && bytes[index] == 0 && bytes[index + 1] == 43 && bytes[index + 2] == 0
                    && bytes[index + 3] == bytes[index + 4] + 1
            })
        let list = bytes[(place + 5)...].prefix(Int(bytes[place + 4]))
        // Values reserved to keep servers tolerant (RFC 8701) are left out.
        let versions = stride(from: list.startIndex, to: list.endIndex, by: 2).map { Array(list[$0...($0 + 1)]) }
            .filter { $0[0] == 3 }
        #expect(versions.sorted { $0[1] > $1[1] } == [[3, 4], [3, 3]])
    }

    @Test(
        "NET-3: a provider with a private authority is reached by who trusts that authority, and by nobody else",
        .timeLimit(.minutes(5)))
    func privateAuthority() async throws {
        try await TestServer.open(on: .sqlite) { server in
            var configuration = TestServer.configuration()
            configuration.port = 0
            configuration.tls = .init(
                certificateChain: Self.certificate.path,
                privateKey: Self.certificate.deletingLastPathComponent().appendingPathComponent("key.pem").path)
            var logger = Logger(label: "test")
            logger.logLevel = .critical
            let node = try await GatehouseServer(
                configuration: configuration, database: server.database,
                vault: KeyVault(masterKey: TestServer.vaultKey),
                environment: server.clock.environment(), audit: server.audit.log, logger: logger)
            let pem = try String(contentsOf: Self.certificate, encoding: .utf8)
            try await node.application.test(.ahc(.https)) { client in
                let port = try #require(client.port)
                var request = OutgoingRequest(method: "GET", url: "https://localhost:\(port)/health/live")
                let fetch = Self.environment.fetch
                await #expect(throws: OutgoingFailure.notTrusted) { _ = try await fetch(request) }
                request.trustedCertificates = [pem]
                #expect(try await fetch(request).status == 200)
                // This is another authority.
                request.trustedCertificates = [server.idps.gameCenterRoot]
                await #expect(throws: OutgoingFailure.notTrusted) { _ = try await fetch(request) }
                request.trustedCertificates = ["no certificate"]
                await #expect(throws: IdentityFailure.self) { _ = try await fetch(request) }
            }
        }
    }

    private static let certificate = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("EndToEndTests/TLS/certificate.pem")

    @Test("A connection that is refused fails as such, and not by its deadline", .timeLimit(.minutes(5)))
    func refusedConnection() async throws {
        let port = try LoopbackListener.freePort()
        await #expect(throws: OutgoingFailure.notConnected) {
            _ = try await Self.environment.fetch(
                OutgoingRequest(method: "GET", url: "http://127.0.0.1:\(port)/"))
        }
    }

    /// The first bytes of the next connection.
    private func firstBytes(of listener: LoopbackListener) async throws -> [UInt8] {
        try await withCheckedThrowingContinuation { continuation in
            Thread.detachNewThread {
                guard let connection = listener.accept() else {
                    return continuation.resume(throwing: LoopbackListener.Failed())
                }
                defer { close(connection) }
                var buffer = [UInt8](repeating: 0, count: 4_096)
                let count = recv(connection, &buffer, buffer.count, 0)
                continuation.resume(returning: Array(buffer.prefix(max(count, 0))))
            }
        }
    }
}

import FakeProviders
import Foundation
import Gatehouse
import GatehouseCore
import GatehouseProviders
import GatehouseServer
import GatehouseTesting
import Synchronization
import TestDatabases
import Testing

/// An identity provider that keeps sending as long as the connection is open.
@Suite struct DrippingProviderTests {
    /// Sends a head and then single bytes, on a loopback port.
    private final class DrippingServer: Sendable {
        private static let bytes = 60

        private let listener: LoopbackListener
        private let state = Mutex<(cutOff: Int, complete: Int)>((0, 0))

        var port: Int { listener.port }
        /// The numbers of clients that disconnected before the end, and that stayed.
        var ends: (cutOff: Int, complete: Int) { state.withLock { $0 } }

        init() throws {
            listener = try LoopbackListener()
            Thread.detachNewThread { [self] in
                while let client = listener.accept() {
                    Thread.detachNewThread { self.drip(client) }
                }
            }
        }

        private func drip(_ client: Int32) {
            defer { close(client) }
            var request = [UInt8](repeating: 0, count: 4_096)
            _ = recv(client, &request, request.count, 0)
            let head = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 200000\r\n\r\n"
            guard send(client, head, head.utf8.count, Int32(MSG_NOSIGNAL)) > 0 else { return }
            for _ in 0..<Self.bytes {
                usleep(500_000)
                guard send(client, " ", 1, Int32(MSG_NOSIGNAL)) > 0 else { return state.withLock { $0.cutOff += 1 } }
            }
            state.withLock { $0.complete += 1 }
        }

        func stop() { listener.stop() }
    }

    @Test("IDP-13: a provider whose answer drips is left alone after its deadline, keys and tokens alike")
    func drips() async throws {
        let provider = try DrippingServer()
        defer { provider.stop() }
        try await LiveServer.run(on: .sqlite, providerSeconds: 1) { server in
            var configuration = ProviderConfiguration(kind: .openID, clientIds: ["client"])
            configuration.openID?.issuer = "https://slow.example.com"
            configuration.openID?.keysURL = "http://127.0.0.1:\(provider.port)/keys"
            try await server.run(SaveIdentityProvider(provider: Provider("slow"), configuration: configuration))
            let token = try server.idps.idToken(.google, for: "alice")
            let device = server.device(MemoryStorage())
            try await device.start()
            let failed = await failure {
                try await device.logIn(with: Credential(provider: Provider("slow"), idToken: token))
            }
            #expect(failed?.reason == .providerUnavailable)
            #expect(provider.ends.complete == 0)
        }
        while provider.ends.cutOff == 0 && provider.ends.complete == 0 { try await Task.sleep(for: .milliseconds(50)) }
        #expect(provider.ends.cutOff == 1)
        #expect(provider.ends.complete == 0)
    }

    @Test("The setting provider-seconds is how long a provider's answer may take")
    func setting() async throws {
        let provider = try DrippingServer()
        defer { provider.stop() }
        try await withFolder { folder in
            _ = try await Command.createApp("game", in: folder)
            let settings = ["GATEHOUSE_PROVIDER_SECONDS": "1", "GATEHOUSE_ALLOW_LOCAL_PROVIDERS": "true"]
            let set = try await Command.run(
                [
                    "idp", "set", "slow", "--kind", "openid", "--client-id", "client", "--issuer",
                    "https://slow.example.com",
                    "--keys-url", "http://127.0.0.1:\(provider.port)/keys",
                ], in: folder, environment: settings)
            #expect(set.status == 0, "\(set.text)")
            let tested = try await Command.run(
                ["idp", "test", "slow"], in: folder, environment: settings)
            #expect(tested.text.contains("its answer takes more than 1 seconds"), "\(tested.text)")
        }
    }
}

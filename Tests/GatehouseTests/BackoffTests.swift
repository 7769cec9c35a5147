import Foundation
import GatehouseTesting
import GatehouseWire
import Testing

@testable import Gatehouse

@Suite struct BackoffTests {
    /// The pauses of a call that is lost again and again, with random bytes that are all the same.
    private func pauses(_ byte: UInt8) async throws -> [Double] {
        let pauses = Locked<[Double]>([])
        let network = ScriptedTransport()
        var environment = GatehouseClient.Environment.testing(clock: ManualClock(), transport: network)
        environment.sleep = { seconds in pauses.withLock { $0.append(seconds) } }
        environment.randomBytes = { [UInt8](repeating: byte, count: $0) }
        var configuration = GatehouseClient.Configuration(
            appID: "game", serverURL: try URL(string: "https://login.example.com").unwrapped(),
            storage: MemoryStorage())
        configuration.retries = 8
        configuration.logger = nil
        let gatehouse = GatehouseClient(configuration, environment: environment)
        for _ in 0...8 { network.script(.noConnection()) }
        #expect(await failure { try await gatehouse.start() }?.code == .socketError)
        #expect(network.stepsLeft == 0)
        return pauses.withLock { $0 }
    }

    @Test("LOGIN-13: the pauses between the attempts of a lost call double up to a limit, and half of each is random")
    func pauses() async throws {
        let shortest = try await pauses(0)
        #expect(shortest == [0.125, 0.25, 0.5, 1, 2, 4, 4, 4])
        let longest = try await pauses(255)
        for (long, short) in zip(longest, shortest) {
            #expect(long > short * 1.99)
            #expect(long < short * 2)
        }
    }
}

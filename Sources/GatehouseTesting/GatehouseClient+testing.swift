import Foundation
public import Gatehouse
import GatehouseWire

extension GatehouseClient {
    /// A client for a game's tests, whose server is a script:
    ///
    /// ```swift
    /// let network = ScriptedTransport()
    /// let gatehouse = GatehouseClient.testing(network)
    /// network.script(.launching(), .login())
    /// ```
    ///
    /// A lost call is not repeated by itself, so that a test need not move the clock: set
    /// `GatehouseClient.Configuration.retries` to try that. Nothing is logged.
    ///
    /// - Parameter network: the script.
    /// - Parameter storage: what the device has stored. A second client with the same storage is the game after a restart.
    /// - Parameter clock: the device's clocks, and the server's time.
    /// - Parameter adapters: the game's identity providers, such as ``ScriptedAdapter``.
    /// - Parameter configure: changes anything else of the configuration.
    public static func testing(
        _ network: ScriptedTransport, storage: MemoryStorage = MemoryStorage(), clock: ManualClock = ManualClock(),
        adapters: [any AuthAdapter] = [], configure: (inout Configuration) -> Void = { _ in }
    ) -> GatehouseClient {
        let url = URL(string: "https://login.example.com") ?? URL(fileURLWithPath: "/")
        var configuration = Configuration(appID: "game", serverURL: url, storage: storage)
        configuration.languages = ["en"]
        configuration.adapters = adapters
        configuration.retries = 0
        configuration.logger = nil
        configure(&configuration)
        return GatehouseClient(configuration, environment: .testing(clock: clock, transport: network))
    }
}

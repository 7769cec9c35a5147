import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseTesting
import Testing

/// All tests that use `TCGBGamebase`. It handles only one game at a time, so they run one after another.
@Suite(.serialized, .timeLimit(.minutes(10))) struct GamebaseTests {}

/// A player's device with a game that was written for Gamebase.
@MainActor struct GamebaseDevice {
    let server: LiveServer
    let player: String
    let storage: any SecureStorage
    /// The port of a relay in front of the server.
    let port: Int?
    /// The player at a browser, which shows the pages.
    let browsing: BrowsingPlayer

    init(
        _ server: LiveServer, _ player: String, _ storage: any SecureStorage = MemoryStorage(),
        action: FakeBrowser.Action = .login, port: Int? = nil, browsing: BrowsingPlayer? = nil
    ) {
        self.server = server
        self.player = player
        self.storage = storage
        self.port = port
        self.browsing = browsing ?? BrowsingPlayer(player, action: action)
    }

    func configuration(appID: String = LiveServer.app.rawValue) -> TCGBConfiguration {
        let configuration = TCGBConfiguration.configuration(appID: appID, appVersion: "1.2.3")
        configuration.serverAddress = port.flatMap { URL(string: "http://127.0.0.1:\($0)") } ?? server.url
        let (storage, browsing) = (storage, browsing)
        configuration.configure { configuration in
            configuration.storage = storage
            configuration.retries = 0
            configuration.timeoutSeconds = 60
            // The player goes through the pages of the fake world.
            configuration.adapters = FakeProviders.withPages.map { provider in
                BrowserAdapter(
                    provider,
                    in: .system(
                        timeoutSeconds: 60, openPrivately: { browsing.open($0, privately: true) },
                        open: { browsing.open($0) }))
            }
        }
        return configuration
    }

    /// Starts the game on this device. From now on `TCGBGamebase` uses this device.
    func start() async -> TCGBError? { await Self.start(configuration()) }

    /// Starts the game with a configuration of the test's own.
    static func start(_ configuration: TCGBConfiguration) async -> TCGBError? {
        await ended { done in TCGBGamebase.initialize(configuration: configuration) { done($1) } }
    }
}

/// Whether code runs on the main queue. On Linux a test's main thread ends with `dispatchMain`, and other threads serve its queue. In a
/// game with a run loop, that queue corresponds to the main thread.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// The result of a call, which completes once, on the main thread.
@MainActor func ended<Value: Sendable>(
    _ call: (@escaping (Value) -> Void) -> Void, sourceLocation: SourceLocation = #_sourceLocation
) async -> Value {
    let (stream, continuation) = AsyncStream.makeStream(of: Value.self)
    call { value in
        #expect(MainQueue.isHere, sourceLocation: sourceLocation)
        continuation.yield(value)
    }
    var iterator = stream.makeAsyncIterator()
    guard let value = await iterator.next() else { preconditionFailure("the stream never ends by itself") }
    return value
}

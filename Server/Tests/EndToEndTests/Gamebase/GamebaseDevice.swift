import FakeProviders
import Foundation
import Gamebase
import Gatehouse
import GatehouseTesting
import Testing

/// Everything that uses `TCGBGamebase`, which knows one game at a time: one test after another.
@Suite(.serialized, .timeLimit(.minutes(10))) struct GamebaseTests {}

/// A device of a player, as a game that was written for Gamebase sees it.
@MainActor struct GamebaseDevice {
    let server: LiveServer
    let player: String
    let storage: any SecureStorage
    /// Of a relay before the server.
    let port: Int?
    /// Whose browser shows the pages.
    let desk: Desk

    init(
        _ server: LiveServer, _ player: String, _ storage: any SecureStorage = MemoryStorage(),
        action: FakeBrowser.Action = .login, port: Int? = nil, desk: Desk? = nil
    ) {
        self.server = server
        self.player = player
        self.storage = storage
        self.port = port
        self.desk = desk ?? Desk(player, action: action)
    }

    func configuration(appID: String = LiveServer.app.rawValue) -> TCGBConfiguration {
        let configuration = TCGBConfiguration.configuration(appID: appID, appVersion: "1.2.3")
        configuration.serverAddress = port.flatMap { URL(string: "http://127.0.0.1:\($0)") } ?? server.url
        let (storage, desk) = (storage, desk)
        configuration.configure { configuration in
            configuration.storage = storage
            configuration.retries = 0
            configuration.timeoutSeconds = 60
            // The player goes through the pages of the fake world.
            configuration.adapters = FakeProviders.withPages.map { provider in
                BrowserAdapter(
                    provider,
                    in: .system(
                        timeoutSeconds: 60, openPrivately: { desk.open($0, privately: true) },
                        open: { desk.open($0) }))
            }
        }
        return configuration
    }

    /// Starts the game on this device: from now on `TCGBGamebase` is this one.
    func start() async -> TCGBError? {
        await ended { done in TCGBGamebase.initialize(configuration: configuration()) { done($1) } }
    }
}

/// Whether code runs on the main queue. On Linux a test's main thread ends with `dispatchMain`, and others serve its queue: what a
/// game with a run loop calls its main thread is the queue's.
enum MainQueue {
    private static let key: DispatchSpecificKey<Bool> = {
        let key = DispatchSpecificKey<Bool>()
        DispatchQueue.main.setSpecific(key: key, value: true)
        return key
    }()

    static var isHere: Bool { DispatchQueue.getSpecific(key: key) == true }
}

/// What a call completes with: once, on the main thread.
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

import Foundation
import Gatehouse
import GatehouseTesting
import GatehouseWire

/// A device with the SDK: its storage, its clock, and a network with scripted responses.
struct Device {
    let storage: MemoryStorage
    let clock: ManualClock
    let network = ScriptedTransport()
    let warnings = Warnings()
    let gatehouse: GatehouseClient

    /// The warnings to the game's developer.
    final class Warnings: @unchecked Sendable {  // The lines are touched with the lock held.
        private let lock = NSLock()
        private var lines: [String] = []

        var all: [String] { lock.withLock { lines } }
        func add(_ line: String) { lock.withLock { lines.append(line) } }
    }

    static let serverDate: Int64 = 1_795_219_200_000

    init(
        storage: MemoryStorage = MemoryStorage(), clock: ManualClock = ManualClock(),
        keyHardware: KeyHardware? = nil,
        configure: (inout GatehouseClient.Configuration) -> Void = { _ in },
        inBackground: (@Sendable (@escaping @Sendable () async -> Void) async -> Void)? = nil
    ) throws {
        self.storage = storage
        self.clock = clock
        let url = try URL(string: "https://login.example.com").unwrapped()
        var configuration = GatehouseClient.Configuration(appID: AppID("game"), serverURL: url, storage: storage)
        configuration.languages = ["ko-KR", "en"]
        configure(&configuration)
        var environment = GatehouseClient.Environment.testing(clock: clock, transport: network)
        environment.warn = warnings.add
        environment.keyHardware = keyHardware
        if let inBackground { environment.inBackground = inBackground }
        gatehouse = GatehouseClient(configuration, environment: environment)
    }

    /// The server's current time.
    var now: Int64 { Self.serverDate + clock.monotonicMilliseconds }

    func start() async throws {
        network.script(.launching(providers: [.guest]))
        try await gatehouse.start()
    }

    func logIn() async throws -> Login {
        network.script(.login(refreshToken: "refresh-canary"))
        return try await gatehouse.logIn(with: .guest)
    }
}

extension ScriptedAnswer {
    /// A new login with tokens that the test looks for.
    static func login(
        _ user: UserID? = nil, provider: Provider? = nil, refreshToken: String, accessToken: String? = nil
    ) -> ScriptedAnswer {
        .login(userID: user, provider: provider, mappings: provider.map { [$0] }) { login in
            login.session.refreshToken = RefreshToken(refreshToken)
            if let accessToken { login.session.accessToken = AccessToken(accessToken) }
        }
    }
}

extension Optional {
    struct Missing: Error {}

    func unwrapped() throws -> Wrapped {
        guard let self else { throw Missing() }
        return self
    }
}

/// The failure of a call, or nil.
func failure<Value>(of call: () async throws -> Value) async -> AuthError? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? AuthError
    }
}

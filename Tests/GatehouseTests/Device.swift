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
        configure: (inout GatehouseClient.Configuration) -> Void = { _ in }
    ) throws {
        self.storage = storage
        self.clock = clock
        let url = try URL(string: "https://login.example.com").unwrapped()
        var configuration = GatehouseClient.Configuration(appID: AppID("game"), serverURL: url, storage: storage)
        configuration.languages = ["ko-KR", "en"]
        configure(&configuration)
        var environment = GatehouseClient.Environment.testing(clock: clock, transport: network)
        environment.warn = warnings.add
        gatehouse = GatehouseClient(configuration, environment: environment)
    }

    /// The server's current time.
    var now: Int64 { Self.serverDate + clock.monotonicMilliseconds }

    func start() async throws {
        network.then(launching())
        try await gatehouse.start()
    }

    func logIn() async throws -> Login {
        network.script(.login { $0.session.refreshToken = RefreshToken("refresh-canary") })
        return try await gatehouse.logIn(with: .guest)
    }

    func launching() -> LaunchingInformation {
        LaunchingInformation(
            appId: AppID("game"), status: .inService, isPlayable: true, message: nil, maintenance: nil,
            providers: [.guest: ProviderSettings()], language: "en", heartbeatSeconds: 120, serverDate: now)
    }

    func login(user: String = "1M8S4CTH3C9FX6Z1", refreshToken: String? = "refresh-canary", access: String = "access-1")
        -> Login
    {
        Login(
            member: member(user), provider: .guest,
            session: tokens(access, refreshToken: refreshToken), standing: standing, serverDate: now)
    }

    func member(_ user: String = "1M8S4CTH3C9FX6Z1") -> Member {
        Member(
            appId: AppID("game"), userId: UserID(user), status: .normal, registrationDate: 1, lastLoginDate: 2,
            mappings: [Mapping(provider: .guest, subject: "thumbprint", registrationDate: 1)])
    }

    var standing: Standing {
        Standing(
            isPlayable: true, reason: .good, untilDate: nil, launchingStatus: .inService, memberStatus: .normal,
            message: nil, actions: [.play])
    }

    private func tokens(_ access: String, refreshToken: String?) -> SessionTokens {
        SessionTokens(
            accessToken: AccessToken(access), accessTokenExpiryDate: now + 3_600_000,
            refreshToken: refreshToken.map { RefreshToken($0) }, sessionExpiryDate: now + 86_400_000)
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

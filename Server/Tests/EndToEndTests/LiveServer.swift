import FakeProviders
import Foundation
import Gatehouse
import GatehouseSecurity
import GatehouseServerWire
import GatehouseStorage
import GatehouseTesting
import HummingbirdTesting
import Logging
import Synchronization
import TestDatabases
import Testing

@testable import GatehouseCore
@testable import GatehouseServer

/// A server in this process, on a loopback port, with one app and with clocks that a test can move forward.
struct LiveServer: Sendable {
    static let app = AppID("game")

    let url: URL
    let administration: Administration
    let secret: SecretKey
    let database: Database
    /// Identity providers over HTTP, on a separate port.
    let idps: FakeProviders
    let metrics: ServerMetrics
    let clock: DevClock
    private let uptime: Uptime
    private let numbers: CountService?

    static let masterKey = [UInt8](repeating: 7, count: 32)

    /// Cheap hashes are less secure, which doesn't matter here.
    private static let passwordCost = PasswordHash.Cost(
        exponent: 4, parallelism: PasswordHash.Cost.standard.parallelism)

    /// The address of the fake world in the fixture. Each server has the fake world at another port.
    private static let placeholder = "127.0.0.1:65535"

    /// The providers as configured in the fixture. Each server has separate ones with the same keys.
    private static let configured = Result {
        FakeProviders(
            origin: "http://\(placeholder)", key: try providerKey.get(),
            nowSeconds: { ServerEnvironment.live.now().milliseconds / 1_000 })
    }
    private static let providerKey = Result { try FakeSigningKey() }

    /// The initial state of every server: an app with every provider. Configuring them takes as long as a short test.
    private static let beginning = Fixture(migrations: Migration.all) { try await prepare($0) }

    private static func prepare(_ database: Database) async throws -> SecretKey {
        let idps = try configured.get()
        let administration = try await Administration(
            database: database, vault: KeyVault(masterKey: masterKey), environment: .live(reachesLocal: true),
            audit: AuditLog { _ in }, passwordCost: passwordCost)
        let secret = try await administration.run(CreateApp(id: app, name: "Game")).secret
        for name in FakeProviders.names {
            try await administration.run(
                SaveIdentityProvider(
                    provider: name, settings: idps.configuration(of: name), secrets: idps.secrets(of: name)), in: app)
        }
        _ = try await administration.run(SetTransferPolicy { $0.transfer = TransferPolicy() }, in: app)
        return secret
    }

    /// - Parameter providerSeconds: how long an identity provider may take for an answer: long enough for the busiest machine, unless
    ///   the test waits for its end.
    static func run<Value: Sendable>(
        on engine: Engine, providerSeconds: Int64 = 300, _ test: @escaping @Sendable (LiveServer) async throws -> Value
    ) async throws -> Value {
        try await withDatabase(engine, beginning) { database, _, secret in
            try await run(with: database, secret, providerSeconds: providerSeconds, test)
        }
    }

    /// Runs a server on a new database that may be stopped in between, so that calls do not wait for it for ever.
    static func run<Value: Sendable>(
        at location: DatabaseLocation, _ test: @escaping @Sendable (LiveServer) async throws -> Value
    ) async throws -> Value {
        var options = DatabaseOptions()
        options.patienceSeconds = 30
        return try await withOpen(location, options) { database in
            try await database.migrate(Migration.all)
            let secret = try await prepare(database)
            return try await run(with: database, secret, providerSeconds: 300, test)
        }
    }

    private static func run<Value: Sendable>(
        with database: Database, _ secret: SecretKey, providerSeconds: Int64,
        _ test: @escaping @Sendable (LiveServer) async throws -> Value
    ) async throws -> Value {
        let vault = try KeyVault(masterKey: masterKey)
        let audit = AuditLog { _ in }
        let clock = try await DevClock.kept(in: database)
        let uptime = Uptime()
        let environment = uptime.environment(
            .live(reachesLocal: true, clock: clock, providerSeconds: providerSeconds))
        let configured = try configured.get()
        let idps = FakeProviders(
            origin: configured.origin, key: try providerKey.get(), keysOf: configured,
            nowSeconds: { environment.now().milliseconds / 1_000 })
        var logger = Logger(label: "test")
        logger.logLevel = TestSwitches.logLevel.flatMap(Logger.Level.init(rawValue:)) ?? .critical
        let metrics = ServerMetrics()
        let provider = FakeProviderServer(providers: idps, logger: logger).application(port: 0)
        return try await provider.test(.live) { [logger] fakeWorld in
            try await place(fakeWorld.port, in: database)
            let administration = try await Administration(
                database: database, vault: vault, environment: environment, audit: audit,
                passwordCost: passwordCost)
            var configuration = ServerConfiguration(publicOrigins: .loopback)
            configuration.passwordCost = passwordCost.exponent
            let server = try await GatehouseServer(
                configuration: configuration, database: database, vault: vault,
                environment: environment, audit: audit, metrics: metrics, logger: logger)
            return try await server.application.test(.live) { client in
                let url = try (client.port.flatMap { URL(string: "http://127.0.0.1:\($0)") }).unwrapped()
                return try await test(
                    LiveServer(
                        url: url, administration: administration, secret: secret, database: database, idps: idps,
                        metrics: metrics, clock: clock, uptime: uptime,
                        numbers: server.services.lazy.compactMap { $0 as? CountService }.first))
            }
        }
    }

    /// Tells the app where its fake world is.
    private static func place(_ port: Int?, in database: Database) async throws {
        let address = "127.0.0.1:\(try port.unwrapped())"
        try await database.transact { tx in
            try tx.execute("UPDATE identity_providers SET settings = replace(settings, \(placeholder), \(address))")
        }
    }

    /// Runs an action on the app as an operator at the terminal.
    @discardableResult
    func run<A: UseCase>(_ action: A, in app: AppID = app, reason: String? = nil) async throws -> A.Outcome {
        try await administration.run(action, in: app, reason: reason)
    }

    /// Runs an action on the server as a whole.
    @discardableResult
    func runOnServer<A: UseCase>(_ action: A) async throws -> A.Outcome { try await administration.run(action) }

    @discardableResult
    func run<A: ServerAction>(_ action: A) async throws -> A.Outcome { try await administration.run(action) }

    /// The time-outs are long, because tests run concurrently on few cores.
    static func configuration(_ url: URL, _ storage: any SecureStorage) -> GatehouseClient.Configuration {
        var configuration = GatehouseClient.Configuration(appID: app, serverURL: url, storage: storage)
        configuration.timeoutSeconds = 60
        return configuration
    }

    /// The SDK on a device.
    func device(_ storage: any SecureStorage, _ environment: GatehouseClient.Environment = .live()) -> GatehouseClient {
        GatehouseClient(Self.configuration(url, storage), environment: environment)
    }

    /// The SDK on a device with these languages.
    func device(_ storage: any SecureStorage, languages: [String]) -> GatehouseClient {
        var configuration = Self.configuration(url, storage)
        configuration.languages = languages
        return GatehouseClient(configuration)
    }

    /// The SDK on a device whose player is `name` at every provider.
    func device(
        _ name: String, _ storage: any SecureStorage = MemoryStorage(),
        adapters: [Provider] = [.google, .apple, .facebook]
    ) -> GatehouseClient {
        var configuration = Self.configuration(url, storage)
        configuration.adapters = adapters.map { TestAdapter(provider: $0, player: name, idps: idps) }
        return GatehouseClient(configuration)
    }

    func credential(_ provider: Provider, _ name: String) throws -> Credential {
        Credential(provider: provider, idToken: try idps.idToken(provider, for: name))
    }

    func members() async throws -> Int {
        try await database.read { tx in try tx.first("SELECT COUNT(*) FROM members") { row in try row[0] as Int } ?? -1
        }
    }

    /// The number of requests of a route.
    func requests(_ template: String) -> Int {
        metrics.registry.text().split(separator: "\n").filter {
            $0.hasPrefix("gatehouse_http_requests_total{") && $0.contains("route=\"\(template)\"")
        }.reduce(0) { $0 + (Int($1.split(separator: " ").last ?? "") ?? 0) }
    }

    /// Puts the server's clock forward. Devices keep the machine's time.
    func advance(days: Int64) async throws {
        let isDone = try await clock.advance(seconds: days * 86_400, in: database)
        try #require(isDone)
    }

    /// Puts the server's clock forward to a moment.
    func advance(to date: Date) async throws {
        let now = Date().addingTimeInterval(Double(clock.offsetSeconds))
        try await advance(seconds: Int64(date.timeIntervalSince(now).rounded(.up)) + 1)
    }

    func advance(seconds: Int64) async throws {
        let isDone = try await clock.advance(seconds: seconds, in: database)
        try #require(isDone)
        passSecond()
    }

    /// Writes down what was counted, as a server does every second. The tests' servers run no services.
    func writeNumbers() async throws { try await numbers?.services.writeCounts() }

    /// Does the jobs that are due, such as the revocation of consents, as a server does by itself.
    func runJobs() async throws {
        let services = try numbers.unwrapped().services
        _ = try await JobRunner(services: services).run()
    }

    /// Lets the second pass for which a server keeps an app. From then on an operator's change is in effect.
    func passSecond() { uptime.passSecond() }

    /// A token check by the game's own server.
    func check(_ token: AccessToken) async throws -> TransportResponse {
        try await call(Endpoints.checkToken, TokenCheckRequest(accessToken: token))
    }

    /// A call of the game's own server.
    func call<Request, Response>(
        _ endpoint: GameServerEndpoint<Request, Response>, _ request: Request
    ) async throws -> TransportResponse {
        try await GatehouseClient.Environment.live().send(
            TransportRequest(
                method: "POST", url: url.appendingPathComponent(String(endpoint.path(app: Self.app).dropFirst())),
                headers: ["X-Secret-Key": secret.secretValue, "Content-Type": "application/json"],
                body: JSONEncoder().encode(request), timeoutSeconds: 60))
    }
}

/// The monotonic clock of a server. It runs like the machine's, and a test can move it forward.
private final class Uptime: Sendable {
    private let aheadNanoseconds = Atomic<UInt64>(0)

    func passSecond() { aheadNanoseconds.add(1_000_000_000, ordering: .sequentiallyConsistent) }

    func environment(_ base: ServerEnvironment) -> ServerEnvironment {
        var environment = base
        environment.monotonicNanoseconds = {
            base.monotonicNanoseconds() + self.aheadNanoseconds.load(ordering: .sequentiallyConsistent)
        }
        return environment
    }
}

/// The requests sent, and what a bad network loses.
final class Wiretap: Sendable {
    private struct State {
        var requests: [TransportRequest] = []
        var answers: [TransportResponse] = []
        var requestsToLose = 0
        var answersToLose = 0
        var loss = TransportError.timedOut
    }

    private let state = Mutex(State())

    var requests: [TransportRequest] { state.withLock { $0.requests } }
    var answers: [TransportResponse] { state.withLock { $0.answers } }

    /// Loses the next requests: they do not reach the server.
    func loseNextRequests(_ count: Int, as loss: TransportError) {
        state.withLock { state in
            state.requestsToLose = count
            state.loss = loss
        }
    }

    /// Loses the next responses: the server does its work, and the device waits in vain.
    func loseNextAnswers(_ count: Int, as loss: TransportError = .timedOut) {
        state.withLock { state in
            state.answersToLose = count
            state.loss = loss
        }
    }

    func environment(_ base: GatehouseClient.Environment = .live()) -> GatehouseClient.Environment {
        var environment = base
        environment.send = { request in
            let lostRequest = self.state.withLock { state -> TransportError? in
                state.requests.append(request)
                state.requestsToLose -= 1
                return state.requestsToLose >= 0 ? state.loss : nil
            }
            if let lostRequest { throw lostRequest }
            let answer = try await base.send(request)
            let lostAnswer = self.state.withLock { state -> TransportError? in
                state.answers.append(answer)
                state.answersToLose -= 1
                return state.answersToLose >= 0 ? state.loss : nil
            }
            if let lostAnswer { throw lostAnswer }
            return answer
        }
        return environment
    }
}

extension Optional {
    struct Missing: Error {}

    func unwrapped() throws -> Wrapped {
        guard let self else { throw Missing() }
        return self
    }
}

/// The failure of a call of the SDK, or nil.
func failure<Value>(of call: () async throws -> Value) async -> AuthError? {
    do {
        _ = try await call()
        return nil
    } catch {
        return error as? AuthError
    }
}

/// Whether a ban has ended a phone's session. The phone's own heartbeat, which it sends every two minutes, may have found that first.
func isThrownOut(_ phone: GatehouseClient) async -> Bool {
    let failure = await failure { try await phone.sendHeartbeat() }
    return failure?.reason == .banned || failure?.code == .notLoggedIn
}

/// Logs a player in at a fake provider without a page.
struct TestAdapter: AuthAdapter {
    let provider: Provider
    let player: String
    let idps: FakeProviders

    func logIn(_ request: AdapterRequest) async throws -> Credential {
        Credential(provider: provider, idToken: try idps.idToken(provider, for: player))
    }
}

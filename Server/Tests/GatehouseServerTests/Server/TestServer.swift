import FakeProviders
import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseServerWire
import GatehouseStorage
import GatehouseWire
import HTTPTypes
import Hummingbird
import HummingbirdTesting
import Logging
import NIOCore
import Synchronization
import TestDatabases
import X509

/// A server on a fresh database, with a clock that a test moves and an audit log that it reads.
struct TestServer: Sendable {
    static let origin = "https://login.example.com"
    static let app = AppID("game")
    static let otherApp = AppID("other-game")

    let client: any TestClientProtocol
    let database: Database
    let location: DatabaseLocation
    let administration: Administration
    let clock: Clock
    let audit: Journal
    let secret: SecretKey
    let idps: FakeProviders

    /// A clock that stands still until a test moves it.
    final class Clock: Sendable {
        /// 2026-11-21T00:00:00Z
        static let start = Moment(milliseconds: 1_795_219_200_000)

        private let time = Mutex(start.milliseconds)

        var now: Moment { Moment(milliseconds: time.withLock { $0 }) }
        func advance(seconds: Int64) { advance(milliseconds: seconds * 1_000) }
        func advance(milliseconds: Int64) { time.withLock { $0 += milliseconds } }

        /// With identity providers that are asked without a network, or with none. The machine trusts the root that the fake Game
        /// Center leads to.
        func environment(_ idps: FakeProviders? = nil) -> ServerEnvironment {
            ServerEnvironment(
                now: { self.now }, monotonicNanoseconds: { UInt64(self.now.milliseconds) * 1_000_000 }, random: .live,
                fetch: { request in
                    guard let idps,
                        let call = FakeProviders.Request(
                            method: request.method, url: request.url, headers: request.headers,
                            body: request.body ?? Data())
                    else { throw NoNetwork() }
                    let answer = idps.respond(call)
                    // The real client gives up on slow responses and refuses large ones.
                    guard answer.delayMilliseconds < Int(OutgoingRequest.standardSeconds) * 1_000,
                        answer.body.count <= OutgoingRequest.maximumBytes
                    else { throw NoNetwork() }
                    return OutgoingResponse(
                        status: answer.status, body: answer.body, location: answer.headers["Location"],
                        date: answer.headers["Date"])
                },
                authorities: { try? idps?.gameCenterAuthorities() })
        }

        private struct NoNetwork: Error {}
    }

    /// The recorded audit entries.
    final class Journal: Sendable {
        private let entries = Mutex<[AuditLog.Entry]>([])

        var log: AuditLog { AuditLog { entry in self.entries.withLock { $0.append(entry) } } }
        var events: [String] { entries.withLock { $0.map(\.event) } }
        var text: String { entries.withLock { "\($0)" } }
        func clear() { entries.withLock { $0 = [] } }
    }

    static let vaultKey = [UInt8](repeating: 7, count: 32)

    /// The key of every fake provider. It is shared, because making one takes time.
    static let providerKey: FakeSigningKey = {
        do { return try FakeSigningKey() } catch { preconditionFailure("\(error)") }
    }()

    /// The initial state of every server, at the clock's first moment: two apps with every provider, and the secret of one.
    private static let beginning = Fixture(migrations: Migration.all) { database in
        let administration = try await Administration(
            database: database, vault: KeyVault(masterKey: vaultKey), environment: Clock().environment(),
            audit: Journal().log, passwordCost: passwordCost)
        let secret = try await administration.run(CreateApp(id: app, name: "Game")).secret
        _ = try await administration.run(CreateApp(id: otherApp, name: "Other game"))
        for provider in FakeProviders.names {
            for app in [app, otherApp] {
                try await administration.run(
                    SaveIdentityProvider(
                        provider: provider, settings: configured.configuration(of: provider),
                        secrets: configured.secrets(of: provider)), in: app)
            }
        }
        for app in [app, otherApp] {
            _ = try await administration.run(SetTransferPolicy { $0.transfer = TransferPolicy() }, in: app)
        }
        // A test finds in the operators' audit what it has done itself.
        try await database.transact { tx in _ = try tx.execute("DELETE FROM operator_actions") }
        return secret
    }

    /// The providers as configured in the apps. Each server has separate ones with the same keys.
    private static let configured = FakeProviders(
        origin: "http://127.0.0.1:1", key: providerKey, nowSeconds: { Clock.start.milliseconds / 1_000 })

    /// Cheap hashes are less secure, which doesn't matter here.
    private static let passwordCost = PasswordHash.Cost(
        exponent: 4, parallelism: PasswordHash.Cost.standard.parallelism)

    static func configuration() -> ServerConfiguration {
        var configuration = ServerConfiguration(publicOrigins: PublicOrigins([origin]) ?? .loopback)
        configuration.passwordCost = passwordCost.exponent
        // The tests are on the server's machine, which has no proxy.
        configuration.metricsBelieveLoopback = true
        configuration.console?.believesLoopback = true
        return configuration
    }

    /// Changes what surrounds a server, such as its way to the network.
    typealias Surroundings = @Sendable (inout ServerEnvironment, Clock) -> Void

    /// Runs a test against a server with two apps.
    static func open(
        on engine: Engine, configuration: ServerConfiguration = configuration(), setup: TestingSetup = .router,
        journal: LogJournal? = nil,
        surroundings: @escaping Surroundings = { _, _ in },
        _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await withDatabase(engine, beginning) { database, location, secret in
            let clock = Clock()
            let idps = FakeProviders(
                origin: configured.origin, key: providerKey, keysOf: configured,
                nowSeconds: { clock.now.milliseconds / 1_000 })
            let audit = Journal()
            let vault = try KeyVault(masterKey: vaultKey)
            let administration = try await Administration(
                database: database, vault: vault, environment: clock.environment(idps),
                audit: audit.log, passwordCost: passwordCost)
            let running = try await node(
                database, clock: clock, idps: idps, audit: audit, configuration: configuration,
                journal: journal, surroundings: surroundings)
            try await running.application.test(setup) { client in
                try await test(
                    TestServer(
                        client: client, database: database, location: location, administration: administration,
                        clock: clock, audit: audit, secret: secret, idps: idps))
            }
        }
    }

    /// Runs an action on the app as an operator at the terminal.
    @discardableResult
    func run<A: UseCase>(_ action: A, in app: AppID = TestServer.app, reason: String? = nil) async throws -> A.Outcome {
        try await administration.run(action, in: app, reason: reason)
    }

    /// Runs an action on the server as a whole.
    @discardableResult
    func runOnServer<A: UseCase>(_ action: A) async throws -> A.Outcome { try await administration.run(action) }

    @discardableResult
    func run<A: ServerAction>(_ action: A, reason: String? = nil) async throws -> A.Outcome {
        try await administration.run(action, reason: reason)
    }

    /// Runs a part of a test with another node: a second server with separate connections to the same data.
    ///
    /// - Parameter way: another location of the same data.
    func onSecondNode(
        at way: DatabaseLocation? = nil, _ test: @escaping @Sendable (TestServer) async throws -> Void
    ) async throws {
        try await withOpen(way ?? location) { database in
            let node = try await Self.node(database, clock: clock, idps: idps, audit: audit)
            try await node.application.test(.router) { client in
                try await test(
                    TestServer(
                        client: client, database: database, location: location, administration: administration,
                        clock: clock, audit: audit, secret: secret, idps: idps))
            }
        }
    }

    private static func node(
        _ database: Database, clock: Clock, idps: FakeProviders, audit: Journal,
        configuration: ServerConfiguration = configuration(),
        journal: LogJournal? = nil,
        surroundings: Surroundings = { _, _ in }
    ) async throws -> GatehouseServer {
        var environment = clock.environment(idps)
        surroundings(&environment, clock)
        var logger = Logger(label: "test")
        logger.logLevel = TestSwitches.logLevel.flatMap(Logger.Level.init(rawValue:)) ?? .critical
        if let journal { logger = journal.logger }
        return try await GatehouseServer(
            configuration: configuration, database: database, vault: KeyVault(masterKey: vaultKey),
            environment: environment, audit: audit.log, logger: logger)
    }
}

/// A response in a convenient form for tests.
struct TestAnswer: Sendable {
    let status: Int
    let headers: HTTPFields
    let text: String

    func decoded<Value: Decodable>(as type: Value.Type) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    var error: WireError? { try? decoded(as: ErrorEnvelope.self).error }
    var code: Int? { error?.code.rawValue }
    var details: ErrorDetails? { error?.details }
    var reason: String? { details?.reason?.rawValue }
}

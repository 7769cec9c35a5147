import GatehouseConsole
public import GatehouseCore
import GatehouseProviders
public import GatehouseSecurity
public import GatehouseStorage
import GatehouseWire
public import Hummingbird
import HummingbirdCore
import HummingbirdHTTP2
public import Logging
public import NIOCore
public import ServiceLifecycle

/// A server that is ready to run. This file connects all its parts.
public struct GatehouseServer: Sendable {
    /// Only the HTTP application, for tests.
    public let application: any ApplicationProtocol
    /// The services in the order in which they start. They stop in the reverse order, so that readiness ends first.
    public let services: [any Service]
    let hasher: PasswordHasher
    private let certificate: ServerCertificate?
    private let logger: Logger

    /// - Parameter fakeWorld: the address of the fake identity providers, in development.
    /// - Throws: ``KeyVaultError`` when the database was written under another master key.
    public init(
        configuration: ServerConfiguration, database: Database, vault: KeyVault, environment: ServerEnvironment,
        audit: AuditLog, metrics: ServerMetrics = ServerMetrics(), logger: Logger, devClock: DevClock? = nil,
        fakeWorld: (@Sendable () -> String)? = nil,
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) async throws {
        metrics.watch(database)
        metrics.watchProcess()
        var services = Services(
            database: database, vault: vault, environment: environment, lifetimes: configuration.lifetimes,
            passwordCost: PasswordHash.Cost(
                exponent: configuration.passwordCost, parallelism: configuration.passwordParallelism),
            reporter: EventReporter(
                audit: audit, count: metrics.count, countRefusedLogin: { metrics.login($0, .refused) },
                countDatabaseFailure: metrics.databaseFailed),
            onOutage: logger.outage, issuerOrigin: configuration.ownOrigin)
        services.writeAlert = AlertWriter(origin: configuration.ownOrigin).text
        try await services.checkVault()
        let readiness = Readiness()
        let sweeper = Sweeper(services: services, historyMonths: configuration.historyMonths) { member, error in
            metrics.settlementFailed()
            logger.unsettled(member, error)
        }
        try await sweeper.prepare(at: environment.now())
        let certificate = try configuration.tls.map { try ServerCertificate($0) }
        let application = Application(
            responder: Doors(
                services: services, configuration: configuration, metrics: metrics, readiness: readiness,
                devClock: devClock.map { DevClockRoute(clock: $0, sweeper: sweeper) }, fakeWorld: fakeWorld
            ).responder(),
            server: try Self.server(
                configuration, certificate,
                ConnectionLimit(
                    maximum: configuration.maximumConnectionsPerAddress, trustedProxies: configuration.trustedProxies,
                    metrics: metrics, monotonicNanoseconds: environment.monotonicNanoseconds, logger: logger)),
            configuration: ApplicationConfiguration(
                address: .hostname(configuration.host, port: configuration.port),
                // After an outage or a maintenance all players come back at once. They wait in this queue, because otherwise they would
                // wait for the retransmission of a dropped packet.
                backlog: 4_096,
                availableConnectionsDelegate: MaximumAvailableConnections(configuration.maximumConnections)),
            onServerRunning: { channel in
                // Under load a loop rarely checks for new connections. It must accept many at once, or they wait for seconds.
                try? await channel.setOption(.maxMessagesPerRead, value: 256).get()
                await onServerRunning(channel)
            }, logger: logger)
        self.application = application
        self.certificate = certificate
        self.logger = logger
        hasher = services.hasher
        let now = environment.now
        var running: [any Service] = [
            AuditRecoveryService(
                recovery: AuditRecovery(
                    services: services, node: configuration.node, lostLines: { LogOutput.standardError.lostLines },
                    flush: { await LogOutput.standardError.flush() }),
                now: now, logger: logger),
            CountService(services: services, logger: logger),
            PasswordService(hashers: [services.hasher, services.operatorHasher]),
            RefusalService(services: services, logger: logger),
            ListeningService(
                application, host: configuration.host, port: configuration.port,
                chosenBy: "the settings host and port"),
            SweeperService(sweeper: sweeper, metrics: metrics, logger: logger),
            AuditService(follower: AuditFollower(database: database, audit: audit), now: now, logger: logger),
            JobService(services: services, logger: logger),
            AlertService(watcher: AlertWatcher(services: services), logger: logger),
            ImportWatchService(watcher: ImportWatcher(services: services), metrics: metrics, logger: logger),
        ]
        if let certificate { running.append(CertificateService(certificate: certificate, logger: logger)) }
        running.append(DrainService(readiness: readiness, seconds: configuration.drainSeconds, logger: logger))
        self.services = running
    }

    /// Reads the TLS certificate again if its files have changed, and logs the outcome.
    public func renewCertificate() {
        certificate?.renew(telling: logger)
    }

    private static func server(
        _ configuration: ServerConfiguration, _ certificate: ServerCertificate?, _ limit: ConnectionLimit
    ) throws -> HTTPServerBuilder {
        let times = ConnectionTimes(
            requestSeconds: configuration.requestSeconds, idleSeconds: configuration.idleSeconds)
        let channel = HTTP1Channel.Configuration(
            additionalChannelHandlers: [
                ExchangeDeadlines(times), MalformedRequestResponder(), ClientDeparture(),
            ],
            idleTimeout: times.idle,
            httpDecoderConfiguration: .init(
                maxHeaderFieldSize: 8_192, maxHeaderListSize: 16_384, maxHeaderFieldCount: 64))
        guard let certificate else {
            return HTTPServerBuilder { responder in
                GuardedChannel(
                    base: HTTP1Channel(responder: responder, configuration: channel), times: times, limit: limit)
            }
        }
        let http2 = HTTP2ChannelConfiguration(
            idleTimeout: .seconds(configuration.idleSeconds),
            gracefulCloseTimeout: .seconds(configuration.requestSeconds), streamConfiguration: channel)
        return HTTPServerBuilder { responder in
            GuardedChannel(
                base: try RenewedTLSChannel(certificate, configuration: http2, responder: responder),
                times: times, limit: limit)
        }
    }
}

extension Logger {
    fileprivate func outage(_ outage: ProviderOutage) {
        warning(
            "an identity provider can't be asked",
            metadata: [
                "app": "\(outage.app)", "idp": "\(outage.provider)", "host": "\(outage.host)", "why": "\(outage.cause)",
            ])
    }

    fileprivate func unsettled(_ member: LapsedMember, _ error: any Error) {
        self.error(
            "what time brings to a member could not be carried out",
            metadata: [
                "appId": .string(member.app.rawValue), "userId": .string(member.user.rawValue), "error": "\(error)",
            ])
    }
}

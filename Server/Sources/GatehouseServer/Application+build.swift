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

    /// - Throws: ``KeyVaultError`` when the database was written under another master key.
    public init(
        configuration: ServerConfiguration, database: Database, vault: KeyVault, environment: ServerEnvironment,
        audit: AuditLog, metrics: ServerMetrics = ServerMetrics(), logger: Logger, devClock: DevClock? = nil,
        onServerRunning: @escaping @Sendable (any Channel) async -> Void = { _ in }
    ) async throws {
        try await database.transact { tx in try KeyRules.checkVault(vault, in: tx) }

        let lifetimes = configuration.lifetimes
        let readiness = Readiness()
        let limits = CallLimits(limiter: RateLimiter(monotonicNanoseconds: environment.monotonicNanoseconds))
        let directory = AppDirectory(
            database: database, vault: vault, tokenLifetimeSeconds: lifetimes.accessTokenSeconds,
            monotonicNanoseconds: environment.monotonicNanoseconds)
        let accounts = AccountWriter(
            database: database, vault: vault, random: environment.random, idempotency: Idempotency(vault: vault),
            audit: audit)
        let providers = IdentityProviders(environment: environment, vault: vault) { outage in
            logger.warning(
                "an identity provider can't be asked",
                metadata: [
                    "app": "\(outage.app)", "idp": "\(outage.provider)", "host": "\(outage.host)",
                    "why": "\(outage.cause)",
                ])
        }
        hasher = PasswordHasher(
            cost: PasswordHash.Cost(
                exponent: configuration.passwordCost, parallelism: configuration.passwordParallelism))
        let issuer = TokenIssuer(lifetimes: lifetimes, issued: IssuedTokens())
        let tokens = AccessTokenReader(directory: directory, issued: issuer.issued)
        let answers = LoginAnswers(issuer: issuer, audit: audit, metrics: metrics)
        let gate = Gate(
            tokens: tokens, verifier: ProofVerifier(origins: configuration.publicOrigins), replays: ReplayGuard(),
            limits: limits)

        let sweeper = Sweeper(accounts: accounts, lifetimes: lifetimes) { member, error in
            metrics.settlementFailed()
            logger.error(
                "what time brings to a member could not be carried out",
                metadata: [
                    "appId": .string(member.app.rawValue), "userId": .string(member.user.rawValue),
                    "error": "\(error)",
                ])
        }

        let router = Router(context: GatehouseContext.self)
        metrics.watch(database)
        metrics.watchProcess()
        router.add(
            middleware: ErrorResponder(
                environment: environment, audit: audit, metrics: metrics,
                isReachedByHTTPSOnly: configuration.isReachedByHTTPSOnly,
                admission: Admission(limit: configuration.maximumRequests, metrics: metrics)))
        HealthRoutes(database: database, readiness: readiness).add(to: router)
        OpenAPIRoute().add(to: router)
        MetricsRoute(
            metrics: metrics, readers: configuration.metricsReaders, trustedProxies: configuration.trustedProxies
        ).add(to: router)
        if let devClock { DevClockRoute(clock: devClock, sweeper: sweeper).add(to: router) }
        CallbackRoute(
            accounts: accounts, providers: providers, limits: limits, directory: directory, environment: environment,
            audit: audit, trustedProxies: configuration.trustedProxies
        ).add(to: router)
        let signal = SignalRoute(
            accounts: accounts, providers: providers, directory: directory, environment: environment, audit: audit,
            trustedProxies: configuration.trustedProxies, origins: configuration.publicOrigins)
        signal.add(to: router)
        let features = Features(
            launching: LaunchingRoutes(database: database),
            keys: KeyRoutes(directory: directory),
            login: LoginRoutes(accounts: accounts, providers: providers, answers: answers, limits: limits),
            loginAttempt: LoginAttemptRoutes(accounts: accounts, providers: providers, limits: limits),
            session: SessionRoutes(accounts: accounts, issuer: issuer, audit: audit),
            member: MemberRoutes(database: database),
            mapping: MappingRoutes(
                accounts: accounts, providers: providers, limits: limits, issuer: issuer, audit: audit),
            transfer: TransferRoutes(accounts: accounts, hasher: hasher, answers: answers, limits: limits),
            withdrawal: WithdrawalRoutes(accounts: accounts, audit: audit),
            identityTokens: IdentityTokenRoutes(database: database, vault: vault, audit: audit),
            ban: BanRoutes(accounts: accounts, audit: audit),
            tokenCheck: TokenCheckRoutes(database: database, tokens: tokens),
            revocations: RevocationRoutes(
                database: database, vault: vault, tokenLifetimeSeconds: lifetimes.accessTokenSeconds),
            lookup: MemberLookup(accounts: accounts),
            banHistory: BanHistory(database: database),
            withdrawalHistory: WithdrawalHistory(database: database),
            signal: signal)
        HTTPAPI(
            gate: gate, directory: directory, environment: environment, trustedProxies: configuration.trustedProxies
        ).addRoutes(features, to: router)
        ServerAPI(
            gate: gate, directory: directory, environment: environment, trustedProxies: configuration.trustedProxies,
            features: features
        ).addRoutes(to: router)

        let certificate = try configuration.tls.map { try ServerCertificate($0) }
        self.certificate = certificate
        self.logger = logger
        let application = Application(
            responder: TokenInPath(next: router.buildResponder()),
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
        var services: [any Service] = [
            PasswordService(hasher: hasher),
            ListeningService(
                application, at: "\(configuration.host):\(configuration.port)",
                chosenBy: "the settings host and port"),
            SweeperService(
                sweeper: sweeper, now: environment.now, metrics: metrics, logger: logger),
            AuditService(
                follower: AuditFollower(database: database, audit: audit), now: environment.now, logger: logger),
            JobService(
                runner: JobRunner(
                    database: database, providers: providers, vault: vault, random: environment.random, audit: audit),
                now: environment.now, logger: logger),
        ]
        if let certificate { services.append(CertificateService(certificate: certificate, logger: logger)) }
        services.append(DrainService(readiness: readiness, seconds: configuration.drainSeconds, logger: logger))
        self.services = services
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

import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import Logging
import NIOCore
import ServiceLifecycle
import UnixSignals

struct ServeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "serve", abstract: "Run a server, in this terminal until Ctrl-C.",
        discussion: "Migrates the database first. Stops on SIGTERM or SIGINT after requests in flight have finished.")

    @OptionGroup var server: ServerArguments
    @OptionGroup var data: DatabaseArguments

    func run() async throws {
        let settings = try server.settings(data)
        let logger = try settings.logger(label: "gatehouse", level: .info)
        let running = try await RunningServer.open(settings, logger: logger)
        try await DevClock.forget(in: running.database)
        let address = AddressFile(of: running.place)
        defer { address.remove() }
        try await running.serve { port in
            address.write(ServerAddress.ofClients(settings, running.configuration, port: port), logger: logger)
            logger.info(
                "serving",
                metadata: [
                    "port": .stringConvertible(port), "database": .stringConvertible(running.place.location),
                    "masterKey": .string(running.place.keyDescription),
                ])
        }
    }
}

/// A server in this process with its database, from reading the settings to the last request.
struct RunningServer {
    let configuration: ServerConfiguration
    let database: Database
    let vault: KeyVault
    let place: DataPlace
    let audit: AuditLog
    private let metrics: ServerMetrics
    private let broken: AsyncStream<String>
    private let logger: Logger
    private let reachesLocal: Bool
    private let isDevelopment: Bool

    static func open(
        _ settings: Settings, logger: Logger, isDevelopment: Bool = false
    ) async throws -> RunningServer {
        settings.log(to: logger)
        let reachesLocal = try settings.flag("allow-local-providers", default: isDevelopment)
        // The development server has a database of its own.
        let mayCreate = try settings.flag("create-database", default: true) || isDevelopment
        var configuration = try ServerConfiguration(settings)
        // What is wrong in the settings, or in a file that they name, is said before a database is made.
        try configuration.tls?.check()
        _ = try DataPlace.givenMasterKey()
        if isDevelopment {
            configuration.console?.entry = Base64URL.encode(RandomSource.live.bytes(16))
            // A developer's machine has no proxy in front.
            configuration.console?.believesLoopback = true
            configuration.metricsBelieveLoopback = true
        }
        // In a debug build, a hash with the production cost takes many seconds.
        if isDevelopment, settings.text("password-cost") == nil { configuration.passwordCost = 10 }
        let place = try DataPlace(settings)
        let metrics = ServerMetrics()
        var events = metrics.storageEvents
        let (broken, breakage) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        events.broken = { breakage.yield($0) }
        events.noticed = StorageEvents.logged(to: logger).noticed
        let (database, isNew) = try await place.openOrCreate(mayCreate: mayCreate, events: events)
        if isNew, !isDevelopment {
            logger.warning(
                "there was no database: this server has made a new and empty one. Where players have used a server before, its database is elsewhere",
                metadata: [
                    "database": .stringConvertible(place.location), "from": .string(place.sourceDescription),
                ])
        }
        let vault: KeyVault
        do {
            vault = try await place.masterKey(random: .live).vault(of: database, random: .live)
        } catch {
            await database.close()
            throw error
        }
        return RunningServer(
            configuration: configuration, database: database, vault: vault, place: place,
            audit: .logging(to: logger, respectsLevel: isDevelopment), metrics: metrics,
            broken: broken, logger: logger, reachesLocal: reachesLocal, isDevelopment: isDevelopment)
    }

    /// Returns after a signal has stopped the server and every acknowledged write is on the disk.
    ///
    /// - Parameter others: services that run beside the server, and start before it.
    func serve(
        with others: [any Service] = [], clock: DevClock? = nil, fakeWorld: (@Sendable () -> String)? = nil,
        onRunning: @escaping @Sendable (_ port: Int) async -> Void
    ) async throws {
        if reachesLocal {
            logger.notice("identity providers may be on this machine and in its networks: for development only")
        }
        if configuration.takesPlainHTTPFromOthers {
            logger.warning(
                "other machines reach this server in the clear: set tls-certificate and tls-key, or trusted-proxies where a proxy has the certificate",
                metadata: ["host": .string(configuration.host)])
        }
        if !configuration.closedOnLoopback.isEmpty {
            logger.warning(
                "public-url is not of this machine, and no proxy is named: requests of this machine count as passed on for strangers, and get neither console nor metrics. Set trusted-proxies; or these settings, if no proxy on this machine passes requests on",
                metadata: ["settings": .string(configuration.closedOnLoopback.joined(separator: ", "))])
        }
        if !Zone.databaseIsThere {
            logger.warning("this machine has no time zones, so every app's days begin in UTC: install tzdata")
        }
        let server = try await GatehouseServer(
            configuration: configuration, database: database, vault: vault,
            environment: .live(
                reachesLocal: reachesLocal, clock: clock, mailServer: configuration.mailServer,
                providerSeconds: Int64(configuration.providerSeconds)),
            audit: audit,
            metrics: metrics, logger: logger, devClock: clock, fakeWorld: fakeWorld
        ) { channel in await onRunning(channel.localAddress?.port ?? configuration.port) }
        // A developer's server ends with its terminal, so only a production server handles SIGHUP.
        let hangUp: [any Service] =
            isDevelopment
            ? []
            : [HangUpService(signals: await UnixSignalsSequence(trapping: .sighup), renew: server.renewCertificate)]
        // Requests in flight have 30 seconds, and what is cancelled after them has 15.
        let seconds = configuration.drainSeconds + 30
        let limit = StopLimit(seconds: seconds + 15, logger: logger)
        var group = ServiceGroupConfiguration(
            services: ([limit] + others + hangUp + server.services).map { .init(service: $0) } + [
                .init(
                    service: BreakageService(broken: broken, logger: logger),
                    failureTerminationBehavior: .gracefullyShutdownGroup),
                .init(service: limit),
            ], gracefulShutdownSignals: [.sigterm, .sigint], logger: logger)
        group.maximumGracefulShutdownDuration = .seconds(seconds)
        // When a service ends, the others end too; a graceful shutdown ends them one after another.
        let result = await Result { () async throws in
            for case let listener as ListeningService in others + server.services {
                try await listener.requireAddress()
            }
            try await ServiceGroup(configuration: group).run()
        }
        await database.close()
        try result.get()
    }
}

/// Handles SIGHUP: a certificate with changed files is loaded again. Without a certificate the signal does nothing, so that a `reload`
/// never ends a server.
private struct HangUpService: Service {
    /// The signals since before the server was ready: untrapped, the first one would end it.
    let signals: UnixSignalsSequence
    let renew: @Sendable () -> Void

    func run() async throws {
        await cancelWhenGracefulShutdown {
            for await _ in signals { renew() }
        }
    }
}

/// Ends the server when its database can no longer be written, because another process may be able to after recovering it.
private struct BreakageService: Service {
    let broken: AsyncStream<String>
    let logger: Logger

    func run() async throws {
        let reason = await cancelWhenGracefulShutdown { await broken.first { _ in true } }
        guard let reason else { return }
        logger.critical(
            "the disk did not keep a write, or the database is damaged: stopping. What was acknowledged is there after a new start, if the disk is sound",
            metadata: ["reason": .string(reason)])
        throw StorageError.broken(reason)
    }
}

extension Result where Failure == any Error {
    fileprivate init(_ body: () async throws -> Success) async {
        do {
            self = .success(try await body())
        } catch {
            self = .failure(error)
        }
    }
}

import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import Logging

/// The settings of a server.
struct ServerArguments: ParsableArguments {
    @Option(
        help: """
            Whether a start makes a database where there is none. false: it ends with 1, and `gatehouse migrate` makes one. \
            Default: true
            """)
    var createDatabase: String?

    @Option(help: "The address to listen on. Default: 127.0.0.1")
    var host: String?

    @Option(help: "The port to listen on; 0 takes a free one. Default: 8080")
    var port: String?

    @Option(
        help: """
            The origins by which clients reach this server, such as https://login.example.com, separated by commas: proofs \
            are accepted for these only. Needed unless it listens on this machine alone.
            """)
    var publicUrl: String?

    @Option(help: "Proxies whose X-Forwarded-For counts, as addresses or networks, separated by commas. Default: none")
    var trustedProxies: String?

    @Option(help: "A PEM file with the certificate and its chain. With --tls-key, serves HTTPS (HTTP/1.1 and HTTP/2).")
    var tlsCertificate: String?

    @Option(help: "A PEM file with the certificate's private key.")
    var tlsKey: String?

    @Option(help: "The lifetime of access tokens, in seconds. Default: 3600")
    var accessTokenSeconds: String?

    @Option(help: "After how many days without use a session ends. Default: 90")
    var sessionIdleDays: String?

    @Option(help: "After how many days a session ends however much it is used. Default: 400")
    var sessionDays: String?

    @Option(
        help: """
            How many whole months of members' histories are kept besides the current one. Older entries are deleted, and the answers \
            about them with them. 0: all. Default: 0
            """)
    var historyMonths: String?

    @Option(help: "Connections at a time; more wait. Default: 10000")
    var maxConnections: String?

    @Option(
        help:
            "Connections of one address (IPv6: one /64 network) at a time; further ones are closed. 0: any. Default: 256"
    )
    var maxConnectionsPerAddress: String?

    @Option(help: "Requests that are served at a time; more get 503. Default: 2048")
    var maxRequests: String?

    @Option(help: "Who may read /metrics, as addresses or networks, separated by commas. Default: 127.0.0.0/8,::1")
    var metricsReaders: String?

    @Option(help: "Whether operators have a console at /console. Default: true")
    var console: String?

    @Option(
        help:
            "From where the console is reached, as addresses or networks, separated by commas. Default: 127.0.0.0/8,::1"
    )
    var consoleNetworks: String?

    @Option(help: "Seconds for a request to arrive whole. Default: 15")
    var requestSeconds: String?

    @Option(help: "Seconds for a connection without a request. Default: 75")
    var idleSeconds: String?

    @Option(help: "Seconds for an identity provider's answer, which a login waits for. Default: 5")
    var providerSeconds: String?

    @Option(help: "Seconds between readiness turning false and the end of listening, at a stop. Default: 0")
    var drainSeconds: String?

    @Option(
        help: """
            The cost of a transfer password's hash: each step doubles its time and memory. Below 14 is for tests. \
            Default: 14 (dev: 10)
            """)
    var passwordCost: String?

    @Option(
        help: """
            Development: true lets identity providers be on this machine and in its networks. Default: false (dev: true)
            """)
    var allowLocalProviders: String?

    @Option(
        help: """
            The server that takes e-mails, for alerts: smtps://USER:PASSWORD@HOST, or smtp:// for STARTTLS. Others see a flag, so it \
            belongs in the configuration file or in GATEHOUSE_MAIL_SERVER.
            """)
    var mailServer: String?

    @Option(help: "The address from which alerts come, such as gatehouse@example.com. Needed with mail-server.")
    var mailFrom: String?

    @Option(help: "trace, debug, info, notice, warning, error or critical. Default: info (dev: notice)")
    var logLevel: String?

    var flags: [String: String?] {
        [
            "create-database": createDatabase,
            "host": host, "port": port, "public-url": publicUrl, "trusted-proxies": trustedProxies,
            "tls-certificate": tlsCertificate, "tls-key": tlsKey, "access-token-seconds": accessTokenSeconds,
            "session-idle-days": sessionIdleDays, "session-days": sessionDays, "history-months": historyMonths,
            "max-connections": maxConnections,
            "max-connections-per-address": maxConnectionsPerAddress,
            "max-requests": maxRequests, "metrics-readers": metricsReaders, "console": console,
            "console-networks": consoleNetworks, "request-seconds": requestSeconds,
            "idle-seconds": idleSeconds, "provider-seconds": providerSeconds, "drain-seconds": drainSeconds,
            "password-cost": passwordCost,
            "allow-local-providers": allowLocalProviders, "mail-server": mailServer, "mail-from": mailFrom,
            "log-level": logLevel,
        ]
    }

    /// - Parameters:
    ///   - others: the flags of only this command.
    ///   - looksForFile: whether a configuration file at its default location is used when none is named.
    func settings(
        _ database: DatabaseArguments, also others: [String: String?] = [:], looksForFile: Bool = true
    ) throws -> Settings {
        try Settings(
            flags: flags.merging(others) { own, _ in own }.merging(database.flags) { own, _ in own },
            environment: ProcessInfo.processInfo.environment, looksForFile: looksForFile)
    }
}

extension ServerConfiguration {
    init(_ settings: Settings) throws {
        let host = settings.text("host")?.value ?? "127.0.0.1"
        let port = try settings.number("port", default: 8080, in: 0...65_535)
        let certificate = settings.text("tls-certificate")?.value
        let key = settings.text("tls-key")?.value
        guard (certificate == nil) == (key == nil) else {
            throw SettingError("The settings tls-certificate and tls-key go together: one of them is missing.")
        }
        self.init(publicOrigins: try Self.origins(settings, host: host))
        self.host = host
        self.port = port
        node = "\(MachineName.current):\(port)"
        if let certificate, let key { tls = TLSFiles(certificateChain: certificate, privateKey: key) }
        trustedProxies = try settings.value(
            "trusted-proxies", default: .none, expected: "addresses or networks such as 10.0.0.0/8"
        ) { _ in Networks(settings.list("trusted-proxies")) }
        lifetimes.accessTokenSeconds = Int64(
            try settings.number("access-token-seconds", default: 3_600, in: 60...86_400))
        lifetimes.idleSeconds = 86_400 * Int64(try settings.number("session-idle-days", default: 90, in: 1...3_650))
        lifetimes.maximumSeconds = 86_400 * Int64(try settings.number("session-days", default: 400, in: 1...3_650))
        historyMonths = try settings.number("history-months", default: 0, in: 0...1_200)
        maximumConnections = try settings.number("max-connections", default: 10_000, in: 1...1_000_000)
        maximumConnectionsPerAddress = try settings.number(
            "max-connections-per-address", default: maximumConnectionsPerAddress, in: 0...1_000_000)
        maximumRequests = try settings.number("max-requests", default: maximumRequests, in: 1...1_000_000)
        metricsReaders = try settings.value(
            "metrics-readers", default: metricsReaders, expected: "addresses or networks such as 10.0.0.0/8"
        ) { _ in Networks(settings.list("metrics-readers")) }
        // Who names this machine knows what else runs on it.
        metricsBelieveLoopback = settings.text("metrics-readers") != nil
        if try settings.flag("console", default: true) {
            let own = Console()
            console?.networks = try settings.value(
                "console-networks", default: own.networks, expected: "addresses or networks such as 10.0.0.0/8"
            ) { _ in Networks(settings.list("console-networks")) }
            console?.believesLoopback = settings.text("console-networks") != nil
        } else {
            console = nil
        }
        requestSeconds = try settings.number("request-seconds", default: 15, in: 1...3_600)
        idleSeconds = try settings.number("idle-seconds", default: 75, in: 1...86_400)
        providerSeconds = try settings.providerSeconds
        drainSeconds = try settings.number("drain-seconds", default: 0, in: 0...3_600)
        mailServer = try settings.value(
            "mail-server", default: nil,
            expected: "smtps://USER:PASSWORD@HOST:PORT or smtp://..., with an address in mail-from"
        ) { MailServer($0, sender: settings.text("mail-from")?.value ?? "").map(Optional.some) }
        passwordCost = try settings.number("password-cost", default: passwordCost, in: 8...18)
    }

    private static let loopbackHosts: Set = ["127.0.0.1", "::1", "localhost"]

    /// Whether other machines may connect without TLS, except through a proxy that the operator has configured (NET-3).
    var takesPlainHTTPFromOthers: Bool {
        tls == nil && trustedProxies == .none && !Self.loopbackHosts.contains(host)
    }

    /// The settings whose defaults let nobody in, because this machine may have a proxy that nobody has named (NET-2).
    var closedOnLoopback: [String] {
        guard mayHideProxy else { return [] }
        return (console.map { $0.believesLoopback ? [] : ["console-networks"] } ?? [])
            + (metricsBelieveLoopback ? [] : ["metrics-readers"])
    }

    private static func origins(_ settings: Settings, host: String) throws -> PublicOrigins {
        guard settings.text("public-url") != nil else {
            guard loopbackHosts.contains(host) else {
                throw SettingError(
                    "The setting public-url is missing: a server that others reach must say by which URL they do, such as "
                        + "https://login.example.com.")
            }
            return .loopback
        }
        return try settings.value(
            "public-url", default: .loopback,
            expected: "origins such as https://login.example.com, separated by commas, without a path or a user"
        ) { _ in
            let origins = PublicOrigins(settings.list("public-url"))
            if let exposed = origins?.all.first(where: PublicOrigins.isExposed) {
                throw SettingError(
                    "The setting public-url is wrong: \(exposed) is plain HTTP, and what players send would cross the internet "
                        + "in the clear. It must be https, or an address of this machine or of a private network.")
            }
            return origins
        }
    }
}

extension Settings {
    /// Commands ask identity providers, too.
    var providerSeconds: Int { get throws { try number("provider-seconds", default: 5, in: 1...60) } }

    func logger(label: String, level standard: Logger.Level) throws -> Logger {
        let level = try value(
            "log-level", default: standard, expected: Logger.Level.allCases.map(\.rawValue).joined(separator: ", ")
        ) { Logger.Level(rawValue: $0) }
        return Logger(label: label) { JSONLogHandler(label: $0, level: level, now: ServerEnvironment.live.now) }
    }
}

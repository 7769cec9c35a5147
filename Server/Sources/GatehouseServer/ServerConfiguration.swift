import GatehouseConsole
public import GatehouseCore
public import GatehouseSecurity
import GatehouseWire

/// A server's addresses, limits and security settings.
public struct ServerConfiguration: Sendable {
    public var host = "127.0.0.1"
    /// 0 selects a free port.
    public var port = 8080
    public var publicOrigins: PublicOrigins
    public var trustedProxies = Networks.none
    public var tls: TLSFiles?
    public var lifetimes = SessionLifetimes()
    /// How many whole months of the ledger are kept besides the current one; 0 for all.
    public var historyMonths = 0
    /// The maximum number of concurrent connections; more wait in the listening socket.
    public var maximumConnections = 10_000
    /// The maximum number of concurrent connections of one IPv4 address, or of one /64 network of IPv6; further ones are closed at
    /// once. 0 means no limit. Trusted proxies have no limit.
    public var maximumConnectionsPerAddress = 256
    /// The maximum number of concurrent requests; more are refused with 503.
    public var maximumRequests = 2_048
    /// The cost of the slow hashes of transfer passwords: scrypt with N = 2^cost, r = 8 and p = parallelism. The default is OWASP's
    /// minimum for 16 MiB.
    public var passwordCost = PasswordHash.Cost.standard.exponent
    public var passwordParallelism = PasswordHash.Cost.standard.parallelism
    /// The name of this node, which it keeps over restarts: host and port.
    public var node = "server"
    /// The networks that may read `/metrics`.
    public var metricsReaders = Networks.loopback
    /// Whether this machine may read `/metrics` even where a proxy that nobody has named may run on it (``mayHideProxy``).
    public var metricsBelieveLoopback = false
    /// The operators' console; nil for a server without one.
    public var console: Console? = Console()
    /// The time for receiving a complete request, from its first byte.
    public var requestSeconds = 15
    /// The time for a connection without a request.
    public var idleSeconds = 75
    /// The time that an identity provider may take for an answer.
    public var providerSeconds = Int(OutgoingRequest.standardSeconds)
    /// The time between reporting "not ready" and closing the listening socket, which a load balancer needs to notice.
    public var drainSeconds = 0
    /// The server that takes e-mails; nil if none is sent.
    public var mailServer: MailServer?

    public init(publicOrigins: PublicOrigins) {
        self.publicOrigins = publicOrigins
    }

    /// Whether every client must use HTTPS, so that it may be told never to use HTTP again. A server that only this machine can reach
    /// doesn't tell clients, because its host names are shared with all other servers on the machine.
    var isReachedByHTTPSOnly: Bool {
        switch publicOrigins {
        case .loopback: false
        case .only(let origins): tls != nil || origins.allSatisfy(\.isSecure)
        }
    }

    /// Whether a proxy that nobody has named may pass on the requests of strangers from this machine, without a header that tells: the
    /// public URL is one of others, so something ends TLS for this server, and it isn't one of the trusted proxies (NET-2).
    public var mayHideProxy: Bool {
        tls == nil && trustedProxies == .none && !publicOrigins.areOfThisMachine
    }

    /// The origin with which the addresses in alerts begin, and the issuer of access tokens.
    var ownOrigin: String {
        publicOrigins.all.first?.text ?? "\(tls == nil ? "http" : "https")://127.0.0.1:\(port)"
    }

    /// How the operators' console is reached.
    public struct Console: Sendable {
        /// The networks from which it exists.
        public var networks = Networks.loopback
        /// Whether this machine reaches it even where a proxy that nobody has named may run on it (``mayHideProxy``).
        public var believesLoopback = false
        /// For development on this machine: the secret of a link that signs in at once.
        public var entry: String?
        /// How many pages of one operator are answered in a second, so that a script can't take the processor from players; 0 for no
        /// limit.
        public var pagesPerSecond = 5
        /// How many requests it serves at a time, beside the players'.
        public var maximumRequests = 64

        public init() {}
    }

    /// PEM files.
    public struct TLSFiles: Sendable, Hashable {
        public var certificateChain: String
        public var privateKey: String

        public init(certificateChain: String, privateKey: String) {
            self.certificateChain = certificateChain
            self.privateKey = privateKey
        }
    }
}

extension ServerFacts {
    /// The settings in force. None of them is a secret.
    init(_ configuration: ServerConfiguration) {
        let origins = configuration.publicOrigins.all.map(\.text)
        self.init(
            settings: [
                ("host", configuration.host), ("port", String(configuration.port)),
                ("public-url", origins.isEmpty ? "loopback" : origins.joined(separator: ", ")),
                ("node", configuration.node), ("tls", configuration.tls == nil ? "off" : "on"),
                ("max-connections", String(configuration.maximumConnections)),
                ("max-connections-per-address", String(configuration.maximumConnectionsPerAddress)),
                ("max-requests", String(configuration.maximumRequests)),
                ("access-token-seconds", String(configuration.lifetimes.accessTokenSeconds)),
                ("password-cost", String(configuration.passwordCost)),
                ("request-seconds", String(configuration.requestSeconds)),
                ("idle-seconds", String(configuration.idleSeconds)),
                ("provider-seconds", String(configuration.providerSeconds)),
                ("drain-seconds", String(configuration.drainSeconds)),
                ("mail-server", configuration.mailServer.map { "\($0.host):\($0.port)" } ?? "–"),
            ], residentBytes: { ProcessUsage.current().residentBytes })
    }
}

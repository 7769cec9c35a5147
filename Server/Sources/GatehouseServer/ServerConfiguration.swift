/// How a server is reached and how it treats its callers.
public struct ServerConfiguration: Sendable {
    public var host = "127.0.0.1"
    /// 0 takes a free one.
    public var port = 8080
    public var publicOrigins: PublicOrigins
    public var trustedProxies = Networks.none
    public var tls: TLSFiles?
    public var lifetimes = SessionLifetimes()
    /// Connections at a time; more wait in the listening socket.
    public var maximumConnections = 10_000
    /// Connections of one IPv4 address, or of one /64 network of IPv6, at a time; further ones are closed at once. 0 for no
    /// bound. Trusted proxies have none.
    public var maximumConnectionsPerAddress = 256
    /// Requests that are served at a time; more are refused with 503.
    public var maximumRequests = 2_048
    /// Of the slow hashes of transfer passwords: scrypt with N = 2^cost, r = 8 and p = parallelism. OWASP's least for 16 MiB.
    public var passwordCost = defaultPasswordCost
    public var passwordParallelism = defaultPasswordParallelism
    /// Who may read `/metrics`.
    public var metricsReaders = Networks(["127.0.0.0/8", "::1"]) ?? .none
    /// For a request to arrive whole, from its first byte.
    public var requestSeconds = 15
    /// For a connection without a request.
    public var idleSeconds = 75
    /// Between readiness turning false and the listening socket closing: the time a load balancer needs to see it.
    public var drainSeconds = 0

    static let defaultPasswordCost = 14
    static let defaultPasswordParallelism = 5

    public init(publicOrigins: PublicOrigins) {
        self.publicOrigins = publicOrigins
    }

    /// Whether every client has to come by HTTPS, so that it may be told never to come otherwise. A server that only this
    /// machine reaches tells nobody: its names are those of all other servers on the machine.
    var isReachedByHTTPSOnly: Bool {
        switch publicOrigins {
        case .loopback: false
        case .only(let origins): tls != nil || origins.allSatisfy { $0.hasPrefix("https://") }
        }
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

import GatehousePlatform

/// The origins at which clients reach this server. A proof must be for one of them; the `Host` header is ignored (NET-2).
public enum PublicOrigins: Sendable, Hashable {
    /// Only these, such as `https://login.example.com`.
    case only(Set<String>)
    /// This machine's own names, at any port, for a server that only this machine can reach, even through forwarded ports.
    case loopback

    /// Whether calls to an origin cross the internet unencrypted (NET-3): plain HTTP to a host that is neither this machine nor an
    /// address of a private network.
    ///
    /// - Parameter origin: such as `http://login.example.com`.
    public static func isExposed(_ origin: String) -> Bool {
        guard let url = URL(string: origin), url.scheme == "http", let host = url.host else { return false }
        if host == "localhost" || host.ends(with: ".localhost") { return false }
        return ClientAddress(host).map(AddressGuard.isPublic) ?? true
    }

    /// Whether no other machine can be meant by any of them.
    package var areOfThisMachine: Bool {
        switch self {
        case .loopback: true
        case .only(let origins):
            origins.allSatisfy { URL(string: $0)?.host.map { Networks.isLoopback(authority: $0) } ?? false }
        }
    }

    package func contains(_ origin: String) -> Bool {
        switch self {
        case .only(let origins): return origins.contains(origin)
        case .loopback:
            guard origin.utf8.count <= 64, let url = URL(string: origin), let host = url.host, url.path.isEmpty,
                url.scheme == "http" || url.scheme == "https", url.user == nil, url.query == nil, url.fragment == nil
            else { return false }
            return ["127.0.0.1", "localhost", "::1", "[::1]"].contains(host)
        }
    }
}

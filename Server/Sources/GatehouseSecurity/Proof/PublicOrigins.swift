import GatehousePlatform
public import GatehouseWire

/// The origins at which clients reach this server. A proof must be for one of them; the `Host` header is ignored (NET-2).
public enum PublicOrigins: Sendable, Hashable {
    /// Only these, such as `https://login.example.com`.
    case only(Set<WebOrigin>)
    /// This machine's own names, at any port, for a server that only this machine can reach, even through forwarded ports.
    case loopback

    /// Reads the origins of a setting; nil if there are none, or if one of them can't be read.
    public init?(_ texts: [String]) {
        let origins = texts.compactMap { WebOrigin($0) }
        guard !origins.isEmpty, origins.count == texts.count else { return nil }
        self = .only(Set(origins))
    }

    /// Those that are set, in the order of their texts; none if it is this machine at any port.
    public var all: [WebOrigin] {
        switch self {
        case .only(let origins): origins.sorted { $0.text < $1.text }
        case .loopback: []
        }
    }

    /// Whether calls to an origin cross the internet unencrypted (NET-3): plain HTTP to a host that is neither this machine nor an
    /// address of a private network.
    public static func isExposed(_ origin: WebOrigin) -> Bool {
        guard !origin.isSecure else { return false }
        if origin.host == "localhost" || origin.host.ends(with: ".localhost") { return false }
        return ClientAddress(origin.host).map(AddressGuard.isPublic) ?? true
    }

    /// Whether no other machine can be meant by any of them.
    package var areOfThisMachine: Bool {
        switch self {
        case .loopback: true
        case .only(let origins): origins.allSatisfy { Networks.isLoopback(authority: $0.host) }
        }
    }

    /// The origin that a text means, if clients may reach this server there; nil for every other text.
    package func origin(_ text: some StringProtocol) -> WebOrigin? {
        WebOrigin(text).flatMap { contains($0) ? $0 : nil }
    }

    /// The one of those that are set whose normal form a text is. Nearly every client sends that form, and comparing bytes costs less than
    /// reading an origin.
    func origin(spelled text: Substring) -> WebOrigin? {
        guard case .only(let origins) = self else { return nil }
        return origins.first { $0.text.utf8.elementsEqual(text.utf8) }
    }

    package func contains(_ origin: WebOrigin) -> Bool {
        switch self {
        case .only(let origins): origins.contains(origin)
        case .loopback: ["127.0.0.1", "localhost", "[::1]"].contains(origin.host)
        }
    }
}

import GatehousePlatform

/// The proxies that are trusted to report a client's address, as addresses or networks (`10.0.0.0/8`).
public struct Networks: Sendable, Hashable {
    private struct Range: Sendable, Hashable {
        let network: ClientAddress
        let prefix: Int
    }

    private let ranges: [Range]

    /// Trusts no proxy.
    public static let none = Networks(ranges: [])
    /// The addresses by which this machine reaches itself.
    public static let loopback = Networks(["127.0.0.0/8", "::1"]) ?? .none

    private init(ranges: [Range]) {
        self.ranges = ranges
    }

    /// Nil when one of the networks can't be read.
    public init?(_ networks: [String]) {
        var ranges: [Range] = []
        for network in networks {
            let parts = network.parts(at: "/", atMost: 2, withEmpty: true)
            guard let address = parts.first.flatMap({ ClientAddress($0) }) else { return nil }
            let bits = address.bytes.count * 8
            guard let prefix = parts.count == 2 ? Int(parts[1]) : bits, (0...bits).contains(prefix) else { return nil }
            ranges.append(Range(network: address, prefix: prefix))
        }
        self.init(ranges: ranges)
    }

    /// Whether the host of a URL or request, with or without a port, is a name or an address of this machine.
    package static func isLoopback(authority: String) -> Bool {
        let host = authority.parts(at: ":", atMost: 2).first?.lowercasedASCII ?? ""
        return host == "localhost" || host.ends(with: ".localhost")
            || (ClientAddress(authority).map(loopback.contains) ?? false)
    }

    package func contains(_ address: ClientAddress) -> Bool {
        ranges.contains { range in
            guard range.network.bytes.count == address.bytes.count, !address.bytes.isEmpty else { return false }
            let whole = range.prefix / 8
            guard range.network.bytes.prefix(whole) == address.bytes.prefix(whole) else { return false }
            guard range.prefix % 8 > 0 else { return true }
            return (range.network.bytes[whole] ^ address.bytes[whole]) >> UInt8(8 - range.prefix % 8) == 0
        }
    }

    /// The client's address: the peer's own, or, when the peer is a trusted proxy, the last address of `X-Forwarded-For` that is not a
    /// trusted proxy. Addresses further left were written by the client (NET-2).
    package func client(peer: ClientAddress, forwardedFor: [String]) -> ClientAddress {
        walk(from: peer, forwardedFor).client
    }

    /// What the proxy that the client itself has reached says of the connection, such as the scheme in `X-Forwarded-Proto`. Each proxy
    /// appends an entry to a list of this kind, as it does to `X-Forwarded-For`. Where a proxy has appended none, the entry of the one before it
    /// counts; nil if there is none, or if the peer is no trusted proxy.
    package func word(in list: [Substring], peer: ClientAddress, forwardedFor: [String]) -> Substring? {
        let (_, proxies) = walk(from: peer, forwardedFor)
        guard proxies > 0 else { return nil }
        return list.suffix(proxies).first
    }

    /// The client, and how many trusted proxies have passed its request on, one after the other.
    private func walk(from peer: ClientAddress, _ forwardedFor: [String]) -> (client: ClientAddress, proxies: Int) {
        guard contains(peer) else { return (peer, 0) }
        let hops = forwardedFor.flatMap { $0.parts(at: ",") }.suffix(32)
        var (client, proxies) = (peer, 1)
        for (place, hop) in hops.reversed().enumerated() {
            guard let address = ClientAddress(hop) else { break }
            client = address
            proxies = place + 1
            guard contains(address) else { break }
        }
        return (client, proxies)
    }
}

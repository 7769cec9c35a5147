import GatehousePlatform

/// The network address of a caller.
public struct ClientAddress: Sendable, Hashable, CustomStringConvertible {
    /// 4 bytes of IPv4 or 16 of IPv6; IPv4 inside IPv6 counts as IPv4. Empty when it isn't known.
    package let bytes: [UInt8]

    package static let unknown = ClientAddress(bytes: [])

    package init(bytes: [UInt8]) {
        let isMapped =
            bytes.count == 16 && bytes[0..<10].allSatisfy { $0 == 0 } && bytes[10] == 0xff && bytes[11] == 0xff
        self.bytes = isMapped ? Array(bytes[12...]) : bytes
    }

    /// Reads a numeric address, with or without the brackets or the port that proxies add.
    package init?(_ text: some StringProtocol) {
        guard text.utf8.count <= 128 else { return nil }
        var bytes = Array(text.trimmingSpaces().utf8)[...]
        let colon = UInt8(ascii: ":")
        if bytes.first == UInt8(ascii: "["), let end = bytes.firstIndex(of: UInt8(ascii: "]")) {
            bytes = bytes[1..<end]
        } else if bytes.count(where: { $0 == colon }) == 1, let end = bytes.firstIndex(of: colon) {
            bytes = bytes[..<end]
        }
        let host = String(decoding: bytes, as: UTF8.self)
        var v4 = in_addr()
        var v6 = in6_addr()
        if inet_pton(AF_INET, host, &v4) == 1 {
            self.init(bytes: withUnsafeBytes(of: &v4) { Array($0) })
        } else if inet_pton(AF_INET6, host, &v6) == 1 {
            self.init(bytes: withUnsafeBytes(of: &v6) { Array($0) })
        } else {
            return nil
        }
    }

    /// The unit that limits count: an IPv4 address, or an IPv6 /64 network, which belongs to one subscriber.
    package struct Network: Hashable, Sendable {
        package let bytes: [UInt8]
    }

    package var network: Network { Network(bytes: bytes.count == 16 ? Array(bytes.prefix(8)) : bytes) }

    /// The /48 of an IPv6 address; nil for others.
    package var wideNetwork: Network? { bytes.count == 16 ? Network(bytes: Array(bytes.prefix(6))) : nil }

    public var description: String {
        var buffer = [CChar](repeating: 0, count: 64)
        let family = bytes.count == 4 ? AF_INET : AF_INET6
        guard bytes.count == 4 || bytes.count == 16,
            bytes.withUnsafeBytes({ inet_ntop(family, $0.baseAddress, &buffer, 64) }) != nil
        else { return "unknown" }
        return String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}

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

/// Restricts the addresses for the server's own requests (NET-1) to the internet's, so that no request can reach machines of an
/// internal network. The address of each connection is checked, so that a name that later resolves to another address makes no
/// difference.
package enum AddressGuard {
    /// IPv4 networks that are not part of the public internet (IANA's special-purpose registry).
    private static let special = Networks([
        "0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12", "192.0.0.0/24",
        "192.0.2.0/24", "192.88.99.0/24", "192.168.0.0/16", "198.18.0.0/15", "198.51.100.0/24", "203.0.113.0/24",
        "224.0.0.0/3", "2001::/23", "2001:db8::/32", "2002::/16", "3fff::/20",
    ])
    /// The only IPv6 network that is part of the public internet.
    private static let global = Networks(["2000::/3"])

    package static func isPublic(_ address: ClientAddress) -> Bool {
        guard let special, let global else { return false }
        switch address.bytes.count {
        case 4: return !special.contains(address)
        case 16: return global.contains(address) && !special.contains(address)
        default: return false
        }
    }
}

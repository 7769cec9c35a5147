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

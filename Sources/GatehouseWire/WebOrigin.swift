/// The scheme, host and port of a web address in their one normal form (RFC 3986 sections 6.2.2 and 6.2.3): small letters, no port that
/// the scheme has anyway, no dot at the host's end, and a name in another script as its `xn--` form. Two of them are equal if they mean
/// the same place.
public struct WebOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The normal form, such as `https://login.example.com` or `http://[::1]:8080`.
    public let text: String
    /// Whether the scheme is `https`.
    public let isSecure: Bool
    /// The machine's name or address. An IPv6 address stands in brackets.
    public let host: String

    /// The same as ``text``.
    public var description: String { text }

    /// Reads an origin, which one slash may follow.
    ///
    /// - Returns: nil for what is no origin: another scheme than `http` and `https`, a user, a path, a query or a fragment.
    public init?(_ text: some StringProtocol) {
        guard let (origin, rest) = Self.read(Array(text.utf8)), rest.isEmpty || rest.elementsEqual("/".utf8) else {
            return nil
        }
        self = origin
    }

    private init(isSecure: Bool, host: String, port: Int) {
        let isStandard = port == Self.standardPort(isSecure: isSecure)
        text = (isSecure ? "https://" : "http://") + host + (isStandard ? "" : ":\(port)")
        self.isSecure = isSecure
        self.host = host
    }

    private static func standardPort(isSecure: Bool) -> Int { isSecure ? 443 : 80 }

    /// Longer texts than any address that is meant are not looked at.
    private static let maximumBytes = 4_096

    /// Reads the origin with which an address begins, and returns what follows it.
    static func read(_ bytes: [UInt8]) -> (origin: WebOrigin, rest: ArraySlice<UInt8>)? {
        guard bytes.count <= maximumBytes, let colon = bytes.firstIndex(of: UInt8(ascii: ":")),
            let isSecure = Self.isSecure(scheme: bytes[..<colon]), bytes[colon...].starts(with: "://".utf8)
        else { return nil }
        let start = colon + 3
        let end = bytes[start...].firstIndex { "/?#".utf8.contains($0) } ?? bytes.endIndex
        let authority = bytes[start..<end]
        let hostEnd: Int
        let name: String?
        if authority.first == UInt8(ascii: "[") {
            guard let bracket = authority.firstIndex(of: UInt8(ascii: "]")) else { return nil }
            hostEnd = bracket + 1
            name = IPv6.normalForm(authority[(start + 1)..<bracket]).map { "[\($0)]" }
        } else {
            hostEnd = authority.firstIndex(of: UInt8(ascii: ":")) ?? end
            name = HostName.normalForm(authority[..<hostEnd])
        }
        let standard = standardPort(isSecure: isSecure)
        guard let host = name, let port = Self.port(authority[hostEnd...], standard: standard) else { return nil }
        return (WebOrigin(isSecure: isSecure, host: host, port: port), bytes[end...])
    }

    /// Nil for another scheme than `http` and `https`.
    private static func isSecure(scheme: ArraySlice<UInt8>) -> Bool? {
        let scheme = scheme.map { (0x41...0x5a).contains($0) ? $0 | 0x20 : $0 }
        if scheme.elementsEqual("https".utf8) { return true }
        return scheme.elementsEqual("http".utf8) ? false : nil
    }

    /// Reads the port behind a host. It may be left out, with or without its colon; nil for what is no port.
    private static func port(_ bytes: ArraySlice<UInt8>, standard: Int) -> Int? {
        guard bytes.isEmpty || bytes.first == UInt8(ascii: ":") else { return nil }
        let digits = bytes.dropFirst()
        guard !digits.isEmpty else { return standard }
        guard digits.count <= 5, digits.allSatisfy({ (0x30...0x39).contains($0) }) else { return nil }
        let port = digits.reduce(0) { $0 * 10 + Int($1 - 0x30) }
        return (1...65_535).contains(port) ? port : nil
    }
}

/// The address of a call in its one normal form (RFC 3986 sections 6.2.2 and 6.2.3). A query and a fragment are left out (RFC 9449
/// section 4.3).
public struct WebAddress: Sendable, Hashable, CustomStringConvertible {
    /// The scheme, host and port.
    public let origin: WebOrigin
    /// The path, which begins with a slash.
    public let path: String

    /// The normal form, such as `https://login.example.com/v1/apps/game/login`.
    public var text: String { origin.text + path }

    /// The same as ``text``.
    public var description: String { text }

    /// Reads an address.
    ///
    /// - Returns: nil for another scheme than `http` and `https`, for an address without a host or with a user, and for a percent sign
    ///   without two digits.
    public init?(_ text: some StringProtocol) {
        guard let (origin, rest) = WebOrigin.read(Array(text.utf8)), let path = Self.normalForm(of: rest) else {
            return nil
        }
        self.origin = origin
        self.path = path
    }

    /// A path without its query, in its normal form: the escapes of letters that need none are resolved, the others have capital letters,
    /// and no segment is `.` or `..`.
    ///
    /// - Returns: nil if a percent sign stands without two digits.
    public static func normalForm(ofPath path: some StringProtocol) -> String? { normalForm(of: Array(path.utf8)[...]) }

    private static func normalForm(of bytes: ArraySlice<UInt8>) -> String? {
        guard let path = unescaped(bytes.prefix { $0 != UInt8(ascii: "?") && $0 != UInt8(ascii: "#") }) else {
            return nil
        }
        var segments: [ArraySlice<UInt8>] = []
        let all = path.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
        for (place, segment) in zip(all.indices, all) {
            let isUp = segment.elementsEqual("..".utf8)
            guard isUp || segment.elementsEqual(".".utf8) else {
                segments.append(segment)
                continue
            }
            if isUp { _ = segments.popLast() }
            // What stands above the last segment is a folder, whose address ends with a slash.
            if place == all.endIndex - 1 { segments.append([]) }
        }
        return "/" + segments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: "/")
    }

    private static func unescaped(_ bytes: ArraySlice<UInt8>) -> [UInt8]? {
        var path: [UInt8] = []
        var rest = bytes
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                path.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(PathSegment.number),
                let low = rest.popFirst().flatMap(PathSegment.number)
            else { return nil }
            let value = high << 4 | low
            // The unreserved characters of RFC 3986 section 2.3.
            if HostName.isLetterOrDigit(value) || "-._~".utf8.contains(value) {
                path.append(value)
            } else {
                path += [byte, digits[Int(high)], digits[Int(low)]]
            }
        }
        return path
    }

    private static let digits = Array("0123456789ABCDEF".utf8)
}

/// Percent-encoding for one segment of a path: everything except RFC 3986's unreserved characters is escaped, so that a value can't
/// leave its segment. `.` and `..` alone are escaped too, because URL parsers would interpret them.
enum PathSegment {
    static func escape(_ value: String) -> String {
        if value == "." { return "%2E" }
        if value == ".." { return "%2E%2E" }
        var escaped = ""
        for byte in value.utf8 {
            switch byte {
            case UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "a")...UInt8(ascii: "z"),
                UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                escaped.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                escaped += byte < 16 ? "%0" : "%"
                escaped += String(byte, radix: 16, uppercase: true)
            }
        }
        return escaped
    }

    /// The value with each `%XX` as its byte; nil if a percent sign stands without two digits, or if the bytes are no UTF-8. Foundation's
    /// own function would bring all of its internationalization into a server's program.
    static func unescape(_ text: some StringProtocol) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            guard let high = rest.popFirst().flatMap(number), let low = rest.popFirst().flatMap(number) else {
                return nil
            }
            bytes.append(high << 4 | low)
        }
        let value = String(decoding: bytes, as: UTF8.self)
        return value.utf8.elementsEqual(bytes) ? value : nil
    }

    static func number(_ digit: UInt8) -> UInt8? {
        Character(Unicode.Scalar(digit)).hexDigitValue.map { UInt8($0) }
    }
}

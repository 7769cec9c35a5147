/// Information about the device, for the game's operator and the Server API's `memberInfo`. The game's status can depend on the system,
/// the store and the game's version, so it is sent with every call. None of it distinguishes one device from others of its kind, and
/// all of it is optional. The server keeps that of a login with the session and deletes it with the session.
public struct ClientInformation: Codable, Sendable, Hashable {
    /// `IOS`, `MACOS`, `AOS`, `WEB`, `WINDOWS`, or another system's name in capitals.
    public var osCode: String?
    /// The system's version, such as `17.4.1`.
    public var osVersion: String?
    /// The model's name, such as `iPhone17,2`.
    public var deviceModel: String?
    /// The country in the device's settings (ISO 3166-1).
    public var deviceCountryCode: String?
    /// The country of the SIM card (ISO 3166-1).
    public var usimCountryCode: String?
    /// The device's language (ISO 639-1).
    public var language: String?
    /// The carrier's name.
    public var telecom: String?
    /// The store that the game was installed from: `AS`, `GG`, ...
    public var storeCode: String?
    /// `wifi`, `lte`, ...
    public var network: String?
    /// The SDK's version.
    public var sdkVersion: String?
    /// The game's own version.
    public var clientVersion: String?

    /// Makes a value that says nothing.
    public init() {}

    /// The maximum length of the header's value in bytes. A longer value is ignored.
    public static let maximumLength = 512

    private static var fields: [(name: String, path: WritableKeyPath<ClientInformation, String?>)] {
        [
            ("osCode", \.osCode), ("osVersion", \.osVersion), ("deviceModel", \.deviceModel),
            ("deviceCountryCode", \.deviceCountryCode), ("usimCountryCode", \.usimCountryCode),
            ("language", \.language), ("telecom", \.telecom), ("storeCode", \.storeCode), ("network", \.network),
            ("sdkVersion", \.sdkVersion), ("clientVersion", \.clientVersion),
        ]
    }

    /// The value of the header ``HeaderNames/client``: `osCode=IOS&osVersion=26.1`, with percent-encoded values. Nil when nothing is
    /// known.
    public var headerValue: String? {
        let members = Self.fields.compactMap { field in
            self[keyPath: field.path].map { "\(field.name)=\(PathSegment.escape(String($0.prefix(64))))" }
        }
        return members.isEmpty ? nil : members.joined(separator: "&")
    }

    /// Nil for a value that is too long. Unknown names are ignored.
    public init?(headerValue: String) {
        guard headerValue.utf8.count <= Self.maximumLength else { return nil }
        // By bytes, because servers read it from strangers: comparing characters can cost the square of a text's length.
        for member in headerValue.utf8.split(separator: UInt8(ascii: "&")) {
            let parts = member.split(separator: UInt8(ascii: "="), maxSplits: 1)
            guard parts.count == 2, let field = Self.fields.first(where: { $0.name.utf8.elementsEqual(parts[0]) }),
                let value = PathSegment.unescape(Substring(parts[1])), !value.utf8.contains(0)
            else { continue }
            self[keyPath: field.path] = String(value.prefix(64))
        }
    }
}

/// Where a device's private key is, as the device itself says. Nothing proves it to the server.
public struct KeyProtection: WireIdentifier {
    /// The value on the wire.
    public let rawValue: String
    /// Wraps a value of the wire.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// In hardware that never gives it away, such as the Secure Enclave.
    public static let hardware = KeyProtection("hardware")
    /// In the storage of the game, such as the Keychain.
    public static let software = KeyProtection("software")

    /// Wraps the value of the header ``HeaderNames/keyProtection``: 1 to 32 small letters, digits and underscores. Nil for any other text.
    public init?(headerValue: String) {
        let isWord = headerValue.utf8.allSatisfy { byte in
            (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
                || (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) || byte == UInt8(ascii: "_")
        }
        guard isWord, (1...32).contains(headerValue.utf8.count) else { return nil }
        self.init(rawValue: headerValue)
    }
}

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

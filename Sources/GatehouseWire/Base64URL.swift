/// base64url without padding (RFC 4648 section 5): the form of every binary value on the wire.
public enum Base64URL {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.underestimatedCount * 4 + 2) / 3)
        var buffer: UInt32 = 0
        var bits = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(letters[Int(buffer >> UInt32(bits) & 0x3f)])
            }
        }
        if bits > 0 { text.append(letters[Int(buffer << UInt32(6 - bits) & 0x3f)]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Nil for anything that ``encode(_:)`` could not have written: padding, other letters, stray trailing bits. One
    /// value has one text, so that a text can be compared or hashed in the value's stead.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        guard text.count % 4 != 1 else { return nil }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(text.count * 3 / 4)
        var buffer: UInt32 = 0
        var bits = 0
        for letter in text {
            let value = values[Int(letter)]
            guard value != 0xff else { return nil }
            buffer = buffer << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: buffer >> UInt32(bits)))
            }
        }
        guard buffer & (1 << UInt32(bits) - 1) == 0 else { return nil }
        return bytes
    }

    public static func decode(_ text: String) -> [UInt8]? { decode(text.utf8) }
}

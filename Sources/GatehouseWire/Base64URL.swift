/// base64url without padding (RFC 4648 section 5): the form of every binary value on the wire.
public enum Base64URL {
    private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 0xff, count: 256)
        for (value, letter) in letters.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    /// Encodes bytes, without padding.
    public static func encode(_ bytes: some Sequence<UInt8>) -> String {
        bytes.withContiguousStorageIfAvailable { encode(buffer: $0) }
            ?? Array(bytes).withUnsafeBufferPointer(encode(buffer:))
    }

    private static func encode(buffer: UnsafeBufferPointer<UInt8>) -> String {
        letters.withUnsafeBufferPointer { letters in
            String(unsafeUninitializedCapacity: (buffer.count * 4 + 2) / 3) { text in
                var count = 0
                var bits: UInt32 = 0
                var pending: UInt32 = 0
                for byte in buffer {
                    pending = pending << 8 | UInt32(byte)
                    bits += 8
                    while bits >= 6 {
                        bits -= 6
                        text[count] = letters[Int(pending >> bits & 0x3f)]
                        count += 1
                    }
                }
                if bits > 0 {
                    text[count] = letters[Int(pending << (6 - bits) & 0x3f)]
                    count += 1
                }
                return count
            }
        }
    }

    /// Nil for anything that ``encode(_:)`` could not have written: padding, other letters, stray trailing bits. Every value has
    /// exactly one text, so that the text can be compared or hashed instead of the value.
    public static func decode(_ text: some Collection<UInt8>) -> [UInt8]? {
        let fast: [UInt8]?? = text.withContiguousStorageIfAvailable { decode(buffer: $0) }
        return fast ?? Array(text).withUnsafeBufferPointer(decode(buffer:))
    }

    private static func decode(buffer: UnsafeBufferPointer<UInt8>) -> [UInt8]? {
        guard buffer.count % 4 != 1 else { return nil }
        var isValid = true
        let bytes = values.withUnsafeBufferPointer { values in
            [UInt8](unsafeUninitializedCapacity: buffer.count / 4 * 3 + 2) { bytes, count in
                var bits: UInt32 = 0
                var pending: UInt32 = 0
                for letter in buffer {
                    let value = values[Int(letter)]
                    isValid = isValid && value != 0xff
                    pending = pending << 6 | UInt32(value)
                    bits += 6
                    if bits >= 8 {
                        bits -= 8
                        bytes[count] = UInt8(truncatingIfNeeded: pending >> bits)
                        count += 1
                    }
                }
                isValid = isValid && pending & (1 << bits - 1) == 0
            }
        }
        return isValid ? bytes : nil
    }

    /// Decodes a text; nil for anything that ``encode(_:)`` could not have written.
    public static func decode(_ text: String) -> [UInt8]? {
        var text = text
        return text.withUTF8(decode(buffer:))
    }
}

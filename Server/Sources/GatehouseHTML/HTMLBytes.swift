/// The bytes of a page while it is written.
struct HTMLBytes {
    private(set) var bytes: [UInt8] = []

    /// Appends what the code says.
    mutating func append(_ text: StaticString) {
        text.withUTF8Buffer { bytes.append(contentsOf: $0) }
    }

    /// Appends a text with everything replaced that could end an element or an attribute's value.
    ///
    /// It looks at Unicode scalars: a quote that is followed by a combining mark is another `Character` than a quote, but the same to a
    /// browser. Controls that would hide or reorder text are shown as their numbers (LOG-2). A back-tick and an equals sign mean something
    /// only in a value without quotes, and ``Attribute`` writes none.
    mutating func append(escaping text: String) {
        guard !text.utf8.allSatisfy(Self.isPlain) else {
            bytes.append(contentsOf: text.utf8)
            return
        }
        for scalar in text.unicodeScalars { append(escaping: scalar) }
    }

    /// Whether a byte is a scalar of its own that is written as it is. Most texts of a page have no other.
    private static func isPlain(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "&"), UInt8(ascii: "<"), UInt8(ascii: ">"), UInt8(ascii: "\""), UInt8(ascii: "'"): false
        default: (0x20..<0x7f).contains(byte)
        }
    }

    private mutating func append(escaping scalar: Unicode.Scalar) {
        switch scalar {
        case "&": append("&amp;")
        case "<": append("&lt;")
        case ">": append("&gt;")
        case "\"": append("&quot;")
        case "'": append("&#39;")
        case "\n", "\t": bytes.append(contentsOf: scalar.utf8)
        case "\u{00}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{061c}", "\u{200e}"..."\u{200f}", "\u{2028}"..."\u{202e}",
            "\u{2066}"..."\u{2069}", "\u{feff}":
            let digits = String(scalar.value, radix: 16, uppercase: true)
            append("⟨U+")
            bytes.append(contentsOf: (String(repeating: "0", count: max(0, 4 - digits.count)) + digits).utf8)
            append("⟩")
        default: bytes.append(contentsOf: scalar.utf8)
        }
    }
}

extension HTML {
    /// A text as part of a page that is written as a string.
    package static func escaped(_ text: String) -> String {
        var html = HTMLBytes()
        html.append(escaping: text)
        return String(decoding: html.bytes, as: UTF8.self)
    }
}

extension StringProtocol {
    /// The text with each byte but letters, digits and `-._~` as `%XX` (RFC 3986, section 2.3).
    package var percentEncoded: String {
        var bytes: [UInt8] = []
        for byte in utf8 {
            switch byte {
            case 0x30...0x39, 0x41...0x5a, 0x61...0x7a, UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"),
                UInt8(ascii: "~"):
                bytes.append(byte)
            default: bytes += [UInt8(ascii: "%"), Self.digit(byte >> 4), Self.digit(byte & 15)]
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 { value < 10 ? 0x30 + value : 0x37 + value }

    /// The text with each `%XX` as its byte; nil if a percent sign stands without two digits, if the bytes are no UTF-8, or if a letter has
    /// more marks than ``CombiningMarks/maximum``.
    package var percentDecoded: String? {
        let (bytes, isWellFormed) = PercentEncoding.decode(utf8, plusIsSpace: false)
        guard isWellFormed, let text = String(validating: bytes, as: UTF8.self), CombiningMarks.areFew(in: text) else {
            return nil
        }
        return text
    }
}

enum PercentEncoding {
    /// The bytes with each `%XX` as one. A percent sign without two digits stays, and is not well-formed.
    static func decode(_ encoded: some Sequence<UInt8>, plusIsSpace: Bool) -> (bytes: [UInt8], isWellFormed: Bool) {
        var bytes: [UInt8] = []
        var isWellFormed = true
        // A percent sign and its first digit, until the second comes.
        var open: [UInt8] = []
        for byte in encoded {
            switch (open.count, value(byte)) {
            case (1, _?): open.append(byte)
            case (2, let low?):
                bytes.append((value(open[1]) ?? 0) << 4 | low)
                open = []
            default:
                isWellFormed = isWellFormed && open.isEmpty
                bytes += open
                open = []
                if byte == UInt8(ascii: "%") {
                    open = [byte]
                } else {
                    bytes.append(plusIsSpace && byte == UInt8(ascii: "+") ? 0x20 : byte)
                }
            }
        }
        return (bytes + open, isWellFormed && open.isEmpty)
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case 0x30...0x39: digit - 0x30
        case 0x41...0x46: digit - 0x37
        case 0x61...0x66: digit - 0x57
        default: nil
        }
    }
}

extension Sequence<UInt8> {
    /// Two small hexadecimal digits for each byte.
    package var hexadecimal: String {
        var digits: [UInt8] = []
        for byte in self {
            for value in [byte >> 4, byte & 15] { digits.append(value < 10 ? 0x30 + value : 0x57 + value) }
        }
        return String(decoding: digits, as: UTF8.self)
    }
}

/// Reads `application/x-www-form-urlencoded`: forms and queries. It is the only reader of them, and it reads bytes, because a
/// `Character` may be as long as the whole request.
package enum FormEncoding {
    /// A field. Both texts are safe to work on, even if they are not well-formed.
    package struct Field: Sendable, Hashable {
        package let name: String
        package let value: String
        /// False if a percent sign stands without its digits, for bytes that are no UTF-8, for U+0000, which no database holds, and for
        /// more marks than ``CombiningMarks/maximum``. Then the texts are not quite what was sent.
        package let isWellFormed: Bool
    }

    package static func fields(of bytes: some Sequence<UInt8>) -> [Field] {
        var work = 0
        return fields(of: bytes, work: &work)
    }

    /// - Parameter work: is increased by the number of bytes that are looked at, counting repeated reads.
    package static func fields(of bytes: some Sequence<UInt8>, work: inout Int) -> [Field] {
        var reader = Reader()
        for byte in bytes { reader.take(byte, work: &work) }
        reader.endField(work: &work)
        return reader.fields
    }

    private struct Reader {
        var fields: [Field] = []
        private var name: [UInt8]?
        private var part: [UInt8] = []

        mutating func take(_ byte: UInt8, work: inout Int) {
            work += 1
            switch byte {
            case UInt8(ascii: "&"): endField(work: &work)
            case UInt8(ascii: "=") where name == nil:
                name = part
                part = []
            default: part.append(byte)
            }
        }

        mutating func endField(work: inout Int) {
            if name != nil || !part.isEmpty {
                let first = text(name ?? part, work: &work)
                let second = text(name == nil ? [] : part, work: &work)
                fields.append(
                    Field(
                        name: first.text, value: second.text, isWellFormed: first.isWellFormed && second.isWellFormed))
            }
            name = nil
            part = []
        }

        private func text(_ encoded: [UInt8], work: inout Int) -> (text: String, isWellFormed: Bool) {
            work += encoded.count
            let (bytes, isEncoded) = PercentEncoding.decode(encoded, plusIsSpace: true)
            let text = String(decoding: bytes.lazy.filter { $0 != 0 }, as: UTF8.self)
            // What is no UTF-8 is replaced, and is then another text than was sent.
            let isExact = isEncoded && text.utf8.elementsEqual(bytes)
            guard CombiningMarks.areFew(in: text, work: &work) else { return (CombiningMarks.cut(text), false) }
            return (text, isExact)
        }
    }
}

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

import GatehousePlatform

/// A part of what an operator has written: plain text, the name of an operator after `@`, or the number of a ticket after `#`.
package enum NotePiece: Sendable, Hashable {
    case text(String)
    /// A name as it is written, without the sign.
    case name(String)
    /// A number, without the sign.
    case ticket(String)

    /// The parts of a text, in their order. It is read by bytes, because anything may stand in it.
    package static func pieces(of text: String) -> [NotePiece] {
        let bytes = Array(text.utf8)
        var pieces: [NotePiece] = []
        var (start, place) = (0, 0)
        func string(_ range: Range<Int>) -> String { String(decoding: bytes[range], as: UTF8.self) }
        while place < bytes.count {
            guard let end = Self.end(of: bytes, from: place) else {
                place += 1
                continue
            }
            if start < place { pieces.append(.text(string(start..<place))) }
            let word = string(place + 1..<end)
            pieces.append(bytes[place] == at ? .name(word) : .ticket(word))
            (start, place) = (end, end)
        }
        if start < bytes.count { pieces.append(.text(string(start..<bytes.count))) }
        return pieces
    }

    /// Whether a text mentions an operator.
    package static func mentions(_ name: String, in text: String) -> Bool {
        text.utf8.contains(at)
            && pieces(of: text).contains {
                if case .name(let word) = $0 { word.lowercasedASCII == name } else { false }
            }
    }

    private static let at = UInt8(ascii: "@")
    private static let (longestName, longestNumber) = (64, 12)

    /// The end of a name or of a number whose sign stands at a place; nil if there is none, as in an address of mail.
    private static func end(of bytes: [UInt8], from place: Int) -> Int? {
        let isName = bytes[place] == at
        guard isName || bytes[place] == UInt8(ascii: "#"), place == 0 || !isPart(bytes[place - 1]) else { return nil }
        var end = place + 1
        while end < bytes.count, isName ? isPart(bytes[end]) : ASCII.isDigit(bytes[end]) { end += 1 }
        // A sentence may end behind a name.
        while isName, end > place + 1, !ASCII.isLetterOrDigit(bytes[end - 1]) { end -= 1 }
        let isWhole = isName || end == bytes.count || !isPart(bytes[end]) || bytes[end] == UInt8(ascii: ".")
        let length = end - place - 1
        return isWhole && length > 0 && length <= (isName ? longestName : longestNumber) ? end : nil
    }

    private static func isPart(_ byte: UInt8) -> Bool {
        ASCII.isLetterOrDigit(byte) || [UInt8(ascii: "."), UInt8(ascii: "-"), UInt8(ascii: "_")].contains(byte)
    }
}

/// The classes of bytes that names, versions and numbers from outside consist of. Letters and digits of other scripts belong to none.
package enum ASCII {
    package static func isDigit(_ byte: UInt8) -> Bool { (0x30...0x39).contains(byte) }
    package static func isUppercase(_ byte: UInt8) -> Bool { (0x41...0x5a).contains(byte) }
    package static func isLowercase(_ byte: UInt8) -> Bool { (0x61...0x7a).contains(byte) }
    package static func isLetter(_ byte: UInt8) -> Bool { isUppercase(byte) || isLowercase(byte) }
    package static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }

    /// Whether all bytes are ASCII. Eight are looked at in one step, because each header of each request is.
    package static func isAll(_ bytes: UnsafeBufferPointer<UInt8>) -> Bool {
        let all = UnsafeRawBufferPointer(bytes)
        let words = all.count & ~7
        var marks: UInt64 = 0
        for offset in stride(from: 0, to: words, by: 8) {
            marks |= all.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
        }
        for byte in all[words...] { marks |= UInt64(byte) }
        return marks & 0x8080_8080_8080_8080 == 0
    }

    package static func isAll(_ text: some StringProtocol) -> Bool {
        text.utf8.withContiguousStorageIfAvailable(isAll) ?? text.utf8.allSatisfy { $0 < 0x80 }
    }
}

/// Combining marks, such as accents, follow a letter in any number and in any order. Swift sorts the marks of each letter whenever it
/// compares or hashes a text, which takes the square of their number. So a text from outside is refused where it is read if a letter of
/// it has more of them than anybody writes, and all later work on it is linear.
package enum CombiningMarks {
    /// Four times as many as the generators of decorated texts put on a letter.
    package static let maximum = 128

    /// Whether no letter has more than ``maximum``.
    ///
    /// - Parameter work: is increased by the number of bytes and letters that are looked at.
    package static func areFew(in text: some StringProtocol, work: inout Int) -> Bool {
        work += text.utf8.count
        // Nearly every text is ASCII.
        if ASCII.isAll(text) { return true }
        var marks = 0
        for scalar in text.unicodeScalars {
            work += 1
            marks = isMark(scalar) ? marks + 1 : 0
            if marks > maximum { return false }
        }
        return true
    }

    package static func areFew(in text: some StringProtocol) -> Bool {
        var work = 0
        return areFew(in: text, work: &work)
    }

    /// The text without the marks that are too many.
    package static func cut(_ text: String) -> String {
        var marks = 0
        return String(
            String.UnicodeScalarView(
                text.unicodeScalars.filter { scalar in
                    marks = isMark(scalar) ? marks + 1 : 0
                    return marks <= maximum
                }))
    }

    /// A few marks of class 0 are replaced by marks of other classes when a text is normalised, so the class alone is not enough.
    private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value >= 0x300
            && (scalar.properties.canonicalCombiningClass != .notReordered
                || scalar.properties.generalCategory == .nonspacingMark)
    }
}

/// What people type and paste: one letter in several forms, and marks that nobody sees. Names and ids are brought into one form before
/// they are compared (RFC 8265, section 3): they consist of ASCII, so no other text becomes one that it was not.
extension StringProtocol {
    /// The text in Normalization Form C, in which an accented letter and a Korean syllable are one code point each, whichever keyboard has
    /// written them. The standard library compares texts in this form, and so has its tables; Foundation would bring ICU's.
    package var composed: String {
        ASCII.isAll(self) ? String(self) : String(decoding: String(self)._nfcCodeUnits, as: UTF8.self)
    }

    /// The text with the letters of ASCII for their full-width forms, as East Asian keyboards write them. Other scripts have two widths,
    /// too, but no name, id or code of this server.
    package var narrowed: String {
        ASCII.isAll(self) ? String(self) : String(String.UnicodeScalarView(unicodeScalars.map(\.narrowed)))
    }

    /// The form in which words are looked for: neither case nor width nor the keyboard matters.
    package var folded: String { narrowed.composed.lowercased() }

    /// An id or another text with a case, without the spaces and unseen marks around it.
    package var typedText: String {
        trimming { $0.properties.isWhitespace || $0.isUnseen }.narrowed.composed
    }

    /// A name without a case.
    package var typedName: String { typedText.lowercasedASCII }

    /// A user id without the spaces and hyphens that make it readable.
    package var typedID: String { withoutSeparators.uppercased() }

    /// A code of digits, in the digits of ASCII: without spaces, hyphens and unseen marks, and of any script.
    package var typedDigits: String {
        String(String.UnicodeScalarView(withoutSeparators.unicodeScalars.map { $0.digit ?? $0 }))
    }

    private var withoutSeparators: String {
        pieces { $0.properties.isWhitespace || $0.properties.isDash || $0.isUnseen }.joined().narrowed
    }
}

extension Unicode.Scalar {
    /// Whether it only says how its neighbours are shown, such as a mark of direction or a place for a line break. Such marks come along
    /// when a text is copied from a page or a message.
    fileprivate var isUnseen: Bool { properties.generalCategory == .format }

    fileprivate var narrowed: Unicode.Scalar {
        switch value {
        case 0xff01...0xff5e: Unicode.Scalar(UInt8(truncatingIfNeeded: value - 0xfee0))
        case 0x3000: " "
        default: self
        }
    }

    /// The digit of ASCII with the same value; nil for what is no digit.
    fileprivate var digit: Unicode.Scalar? {
        guard properties.numericType == .decimal, let value = properties.numericValue.flatMap({ UInt8(exactly: $0) })
        else { return nil }
        return Unicode.Scalar(0x30 &+ value)
    }
}

extension StringProtocol {
    /// The text without spaces and tabs of any kind at its ends. Line breaks stay.
    package func trimmingSpaces() -> String {
        trimming { $0 == "\t" || $0.properties.generalCategory == .spaceSeparator }
    }

    /// The text without spaces, tabs and line breaks of any kind at its ends, even those that take no room.
    package func trimmingWhitespace() -> String {
        trimming { $0.properties.isWhitespace || $0 == "\u{200b}" || $0 == "\u{2060}" || $0 == "\u{feff}" }
    }

    /// The text without what fits at its ends.
    package func trimming(_ fits: (Unicode.Scalar) -> Bool) -> String {
        let scalars = unicodeScalars
        guard let first = scalars.firstIndex(where: { !fits($0) }), let last = scalars.lastIndex(where: { !fits($0) })
        else { return "" }
        return String(self[first..<scalars.index(after: last)])
    }
}

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

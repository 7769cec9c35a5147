/// Untrusted text in a line that a person reads in a log or on a terminal (LOG-2).
public enum VisibleText {
    /// The text with deceptive characters escaped, as `\u001b`: those that could begin a line, move a terminal's cursor, or change the
    /// visible order of letters. These are control characters of ASCII and ISO 8859, bidirectional controls, and the separators of
    /// lines and paragraphs.
    public static func escaping(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isDeceptive) else { return text }
        var escaped = ""
        for scalar in text.unicodeScalars { append(scalar, to: &escaped) }
        return escaped
    }

    package static func append(_ scalar: Unicode.Scalar, to text: inout String) {
        guard isDeceptive(scalar) else { return text.unicodeScalars.append(scalar) }
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }

    private static func isDeceptive(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "\u{20}"..."\u{7e}": false
        case "\u{00}"..."\u{9f}", "\u{061c}", "\u{200e}"..."\u{200f}", "\u{2028}"..."\u{202e}", "\u{2066}"..."\u{2069}":
            true
        default: false
        }
    }
}

/// Text as part of an HTML page.
package enum HTML {
    /// The text with everything replaced that could end an element or an attribute's value.
    ///
    /// It looks at Unicode scalars: a quote that is followed by a combining mark is another `Character` than a quote, but the same to a
    /// browser. Controls that would hide or reorder text are shown as their numbers (LOG-2).
    package static func escaped(_ text: String) -> String {
        var html = ""
        html.reserveCapacity(text.utf8.count + 16)
        for scalar in text.unicodeScalars { append(scalar, to: &html) }
        return html
    }

    private static func append(_ scalar: Unicode.Scalar, to html: inout String) {
        switch scalar {
        case "&": html += "&amp;"
        case "<": html += "&lt;"
        case ">": html += "&gt;"
        case "\"": html += "&quot;"
        case "'": html += "&#39;"
        case "`": html += "&#96;"
        case "=": html += "&#61;"
        case "\n", "\t": html.unicodeScalars.append(scalar)
        case "\u{00}"..."\u{1f}", "\u{7f}"..."\u{9f}", "\u{061c}", "\u{200e}"..."\u{200f}", "\u{2028}"..."\u{202e}",
            "\u{2066}"..."\u{2069}", "\u{feff}":
            let digits = String(scalar.value, radix: 16, uppercase: true)
            html += "⟨U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + "⟩"
        default: html.unicodeScalars.append(scalar)
        }
    }
}

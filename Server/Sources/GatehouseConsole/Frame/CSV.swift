import GatehousePlatform
import HTTPTypes
import Hummingbird
import NIOCore

/// A table as a file for spreadsheets (RFC 4180), with a byte order mark, by which Excel knows its encoding.
struct CSV {
    private(set) var text = "\u{feff}"

    mutating func append(_ cells: [String]) {
        text += cells.joined(separator: ",") + "\r\n"
    }

    /// A cell with a text. No text can be a formula: one that could begin it gets an apostrophe. A spreadsheet looks at code points, so a
    /// sign or a quotation mark counts as such whatever mark follows it.
    static func cell(_ text: String) -> String {
        let first = text.unicodeScalars.first { !$0.properties.isWhitespace && !invisible.contains($0) }
        let begins = text.unicodeScalars.first.map(breaks.contains) ?? false
        let isFormula = begins || (first.map(signs.contains) ?? false)
        return "\"\((isFormula ? "'" + text : text).substituting("\"", by: "\"\""))\""
    }

    private static let breaks: Set<Unicode.Scalar> = ["\t", "\r", "\n"]
    /// Japanese and Chinese settings take the full-width forms for the same signs.
    private static let signs: Set<Unicode.Scalar> = [
        "=", "+", "-", "@", "|", "%", "\u{ff1d}", "\u{ff0b}", "\u{ff0d}", "\u{ff20}", "\u{ff5c}", "\u{ff05}",
        "\u{2212}",
    ]
    /// What stands before a sign without being seen.
    private static let invisible: Set<Unicode.Scalar> = [
        "\u{feff}", "\u{200b}", "\u{200c}", "\u{200d}", "\u{2060}", "\u{0}",
    ]
}

extension Console {
    /// The answer that a browser keeps as a file.
    static func file(_ file: CSV, named name: String) -> Response {
        Response(
            status: .ok,
            headers: [
                .contentType: "text/csv; charset=utf-8", .contentDisposition: "attachment; filename=\"\(name)\"",
            ], body: .init(byteBuffer: ByteBuffer(string: file.text)))
    }
}

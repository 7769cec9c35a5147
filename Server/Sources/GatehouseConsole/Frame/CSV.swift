/// A table as a file for spreadsheets (RFC 4180), with a byte order mark, by which Excel knows its encoding.
struct CSV {
    private(set) var text = "\u{feff}"

    mutating func append(_ cells: [String]) {
        text += cells.joined(separator: ",") + "\r\n"
    }

    /// A cell with a text. No text can be a formula: one that could begin it gets an apostrophe.
    static func cell(_ text: String) -> String {
        let isFormula = text.first.map { "=+-@\t\r".contains($0) } ?? false
        return "\"\((isFormula ? "'" + text : text).replacing("\"", with: "\"\""))\""
    }
}

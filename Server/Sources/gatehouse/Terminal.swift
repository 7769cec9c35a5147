import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import Synchronization

/// The terminal of a command.
enum Terminal {
    /// Text for a terminal: a program's own words are shown as they are, and in values everything is escaped that could forge a line or
    /// a column, or control the terminal. A literal is the program's own, and an interpolation is a value, so untrusted text is always
    /// escaped.
    struct Text: ExpressibleByStringInterpolation {
        fileprivate(set) var shown: String

        init(stringLiteral words: String) {
            shown = words
        }

        init(stringInterpolation interpolation: Interpolation) {
            shown = interpolation.shown
        }

        /// Values side by side, separated by tabs.
        init(columns: [String]) {
            shown = columns.map(VisibleText.escaping).joined(separator: "\t")
        }

        /// A text of several lines, which may contain tabs: the body of a response, or a message with its usage.
        init(lines text: String) {
            shown = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
                line.split(separator: "\t", omittingEmptySubsequences: false)
                    .map { VisibleText.escaping(String($0)) }.joined(separator: "\t")
            }.joined(separator: "\n")
        }

        struct Interpolation: StringInterpolationProtocol {
            fileprivate var shown = ""

            init(literalCapacity: Int, interpolationCount: Int) {
                shown.reserveCapacity(literalCapacity + 16 * interpolationCount)
            }

            mutating func appendLiteral(_ words: String) {
                shown += words
            }

            mutating func appendInterpolation(_ value: some CustomStringConvertible) {
                shown += VisibleText.escaping(value.description)
            }

            mutating func appendInterpolation(_ text: Text) {
                shown += text.shown
            }
        }
    }

    private static let servesProgram = Atomic(false)

    /// Leaves standard output to JSON, because a program reads it. From here on words for people go to standard error.
    static func serveProgram() { servesProgram.store(true, ordering: .relaxed) }

    /// Where words for people go.
    private static var forPeople: OpenFile {
        servesProgram.load(ordering: .relaxed) ? .standardError : .standardOutput
    }

    /// Writes a line immediately, even into a pipe.
    static func say(_ line: Text = "") {
        try? forPeople.write("\(line.shown)\n".utf8)
    }

    /// Writes a table, whose first row has the headings. On a screen its columns stand below each other; in a pipe or a file there is a
    /// tab between two.
    static func table(_ rows: [[String]]) {
        guard isatty(STDOUT_FILENO) == 1 else {
            for row in rows { say(Text(columns: row)) }
            return
        }
        for line in aligned(rows.map { $0.map(VisibleText.escaping) }) { say(line) }
    }

    /// The rows, each column as wide as its widest cell.
    static func aligned(_ rows: [[String]]) -> [Text] {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                if column == widths.count { widths.append(0) }
                widths[column] = max(widths[column], width(cell))
            }
        }
        return rows.map { row in
            var text: Text = ""
            for (column, cell) in row.enumerated() {
                text.shown += cell
                guard column < row.count - 1 else { continue }
                text.shown += String(repeating: " ", count: widths[column] - width(cell) + 2)
            }
            return text
        }
    }

    /// The letters of East Asia and the pictures, which are as wide as two other letters.
    private static let wide: [ClosedRange<UInt32>] = [
        0x1100...0x115f, 0x2e80...0xa4cf, 0xac00...0xd7a3, 0xf900...0xfaff, 0xfe30...0xfe6f, 0xff00...0xff60,
        0xffe0...0xffe6, 0x1f300...0x1faff,
    ]

    private static func width(_ text: String) -> Int {
        text.unicodeScalars.reduce(0) { sum, scalar in
            sum + (wide.contains { $0.contains(scalar.value) } ? 2 : 1)
        }
    }

    /// Writes an error to the standard error stream.
    static func complain(_ line: Text) {
        try? OpenFile.standardError.write("\(line.shown)\n".utf8)
    }

    /// Asks a question and waits for a line; nil at the end of the input.
    static func ask(_ question: Text) -> String? {
        try? forPeople.write(question.shown.utf8)
        return readLine()?.trimmingSpaces()
    }
}

extension Terminal {
    /// Writes a value as a line of JSON.
    static func json(_ value: some Encodable) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        let line: Text = "\(String(decoding: try encoder.encode(value), as: UTF8.self))"
        try OpenFile.standardOutput.write("\(line.shown)\n".utf8)
    }
}

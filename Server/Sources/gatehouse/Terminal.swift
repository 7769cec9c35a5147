import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer

/// The terminal of a command.
enum Terminal {
    /// Text for a terminal: a program's own words are shown as they are, and in values everything is escaped that could forge a line or
    /// a column, or control the terminal. A literal is the program's own, and an interpolation is a value, so untrusted text is always
    /// escaped.
    struct Text: ExpressibleByStringInterpolation {
        fileprivate var shown: String

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

    /// Writes a line immediately, even into a pipe.
    static func say(_ line: Text = "") {
        try? OpenFile.standardOutput.write("\(line.shown)\n".utf8)
    }

    /// Writes a row of a table.
    static func row(_ columns: [String]) {
        say(Text(columns: columns))
    }

    /// Writes an error to the standard error stream.
    static func complain(_ line: Text) {
        try? OpenFile.standardError.write("\(line.shown)\n".utf8)
    }

    /// Asks a question and waits for a line; nil at the end of the input.
    static func ask(_ question: Text) -> String? {
        try? OpenFile.standardOutput.write(question.shown.utf8)
        return readLine()?.trimmingSpaces()
    }
}

import Foundation
import GatehouseServer

/// The terminal of a command.
enum Terminal {
    /// What a terminal shows: a program's own words as they stand, and values with everything escaped that could forge a line
    /// or a column, or speak to the terminal. A literal is the program's own, and what is interpolated into it is a value; so a
    /// text that was not written here can't be shown otherwise.
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

        /// A text of several lines, which may have tabs: the body of an answer, a message with its usage.
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

    /// Writes a line at once, also into a pipe.
    static func say(_ line: Text = "") {
        FileHandle.standardOutput.write(Data("\(line.shown)\n".utf8))
    }

    /// Writes what went wrong to the standard error stream.
    static func complain(_ line: Text) {
        FileHandle.standardError.write(Data("\(line.shown)\n".utf8))
    }

    /// Asks and waits for a line; nil at the end of the input.
    static func ask(_ question: Text) -> String? {
        FileHandle.standardOutput.write(Data(question.shown.utf8))
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }
}

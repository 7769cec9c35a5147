/// Why a whole neutral file is refused.
package struct NeutralFileFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The file has no line.
        case empty
        /// The first line is no header of this format.
        case badHeader
        /// The file ends without its closing line.
        case noEnd
        /// The closing line can't be read.
        case badEnd
        /// The closing line counts other records than the file has.
        case wrongCounts
        /// The lines before the closing line are not those that were written.
        case wrongDigest
        /// Something follows the closing line.
        case afterEnd
    }

    package let code: Code
    package let line: Int
    package let message: String

    package var description: String { "line \(line): \(message)" }

    init(_ code: Code, line: Int, _ message: String) {
        self.code = code
        self.line = line
        self.message = message
    }
}

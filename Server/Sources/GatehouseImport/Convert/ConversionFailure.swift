/// Why nothing is converted at all.
package struct ConversionFailure: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Code: String, Sendable, CaseIterable {
        /// The file has none of the forms of its kind.
        case unknownForm
        /// A table of Firebase's command before 15.19.0, which has lost players.
        case oldTable
        /// The text is UTF-16, and not UTF-8.
        case notUTF8
        /// None of the files has players.
        case noPlayers
        /// An index names more parts than there are files.
        case missingParts
        /// A file with more details is read where no place in it can be looked up, such as a pipe.
        case needsFile
        /// A file was changed while it was read.
        case changedFile
        /// A column or another option is missing or wrong.
        case badOption
    }

    package let code: Code
    package let file: String
    package let message: String

    package var description: String { file.isEmpty ? message : "\(file): \(message)" }

    init(_ code: Code, file: String = "", _ message: String) {
        self.code = code
        self.file = file
        self.message = message
    }
}

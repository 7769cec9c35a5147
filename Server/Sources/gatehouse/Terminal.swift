import Foundation

/// The terminal of a command.
enum Terminal {
    /// Writes a line at once, also into a pipe.
    static func say(_ line: String = "") {
        FileHandle.standardOutput.write(Data("\(line)\n".utf8))
    }

    /// Asks and waits for a line; nil at the end of the input.
    static func ask(_ question: String) -> String? {
        FileHandle.standardOutput.write(Data(question.utf8))
        return readLine()?.trimmingCharacters(in: .whitespaces)
    }
}

import ArgumentParser
import GatehousePlatform

extension OpenFile {
    /// Opens a file that a command reads.
    ///
    /// - Parameter path: `-` is standard input.
    static func reading(_ path: String) throws -> OpenFile {
        if path == "-" { return .standardInput }
        guard let opened = OpenFile(reading: path) else {
            throw SettingError("The file \(path) can't be read.")
        }
        return opened
    }

    /// The text of a file with a secret, without the white space around it.
    ///
    /// - Parameter path: `-` is standard input.
    static func text(of path: String) throws -> String {
        guard let bytes = try? reading(path).readToEnd(), let text = String(validating: bytes, as: UTF8.self) else {
            throw ValidationError("The file \(path) can't be read.")
        }
        return text.trimmingWhitespace()
    }
}

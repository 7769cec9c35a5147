import Foundation

extension FileHandle {
    /// Opens a file that a command reads.
    ///
    /// - Parameter path: `-` is standard input.
    static func reading(_ path: String) throws -> FileHandle {
        if path == "-" { return .standardInput }
        guard let opened = FileHandle(forReadingAtPath: path) else {
            throw SettingError("The file \(path) can't be read.")
        }
        return opened
    }
}

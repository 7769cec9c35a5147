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
}

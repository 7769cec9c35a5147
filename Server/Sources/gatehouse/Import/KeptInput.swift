import GatehouseCore
import GatehousePlatform
import GatehouseSecurity

/// A neutral file that came by standard input. It is read several times, so it is kept beside the reports, for its owner alone.
enum KeptInput {
    private static let pieceBytes = 1 << 20
    private static let prefix = "input-"

    /// - Returns: the path of the file.
    static func keep(in reports: String, at moment: Moment) throws -> String {
        try PrivateFolder.createNamed(reports)
        let path = "\(reports)/\(prefix)\(moment.milliseconds).jsonl"
        // Another process of the same millisecond has another file.
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw SettingError("The file \(path) can't be written.") }
        let file = OpenFile(descriptor: descriptor)
        while true {
            let piece = try OpenFile.standardInput.read(atMost: pieceBytes)
            guard !piece.isEmpty else { return path }
            try file.write(piece)
        }
    }

    /// Removes the file of an import, if it is such a one and still there.
    @discardableResult
    static func remove(_ options: ImportOptions) -> Bool {
        guard options.file.hasPrefix("\(options.reports)/\(prefix)"), options.file.hasSuffix(".jsonl") else {
            return false
        }
        return unlink(options.file) == 0
    }
}

import GatehousePlatform

/// A file of lines that is written on after an interruption.
final class ReportFile {
    /// Longer than every line.
    private static let tailBytes = 262_144

    private let descriptor: Int32
    private let file: OpenFile

    /// Opens the file, or makes it. A last line that is not whole is removed.
    init(_ path: String) throws {
        descriptor = open(path, O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SettingError("The file \(path) can't be written: \(String(cString: strerror(errno))).")
        }
        file = OpenFile(descriptor: descriptor)
        let size = Int64(lseek(descriptor, 0, SEEK_END))
        let begin = max(0, size - Int64(Self.tailBytes))
        let tail = try file.read(atMost: Self.tailBytes, from: begin)
        let whole = tail.lastIndex(of: 0x0a).map { begin + Int64($0) + 1 } ?? begin
        guard whole == size || ftruncate(descriptor, off_t(whole)) == 0 else {
            throw SettingError("The file \(path) can't be written.")
        }
    }

    var isEmpty: Bool { lseek(descriptor, 0, SEEK_END) == 0 }

    func write(_ lines: [UInt8]) throws {
        guard !lines.isEmpty else { return }
        try file.write(lines)
    }
}

import Crypto
import GatehouseImport
import GatehouseJSON
import GatehousePlatform
import GatehouseWire
import Synchronization

/// The files of an export, in a folder for its owner alone. Each gets its name when it is whole and on the disk.
final class ExportFolder: ExportOutput {
    static let manifest = "manifest.json"
    private static let missing = "MISSING.txt"
    private static let bufferBytes = 262_144

    private let path: String
    private let files: ExportedFiles
    private var name = ""
    private var file: (file: OpenFile, descriptor: Int32)?
    private var hash = SHA256()
    private var size = 0
    private var buffer: [UInt8] = []

    /// Removes what a cut export has left.
    ///
    /// - Parameter files: gets the facts of each file.
    init(_ path: String, _ files: ExportedFiles) throws {
        self.path = path
        self.files = files
        files.removeAll()
        for name in try FileManager.default.contentsOfDirectory(atPath: path) where name != ExportClaim.name {
            guard Self.isOurs(name) else {
                throw SettingError("The folder \(path) has the file \(name), which is not of the export that was cut.")
            }
            guard unlink("\(path)/\(name)") == 0 else {
                throw SettingError("The file \(path)/\(name) of the export that was cut can't be removed.")
            }
        }
    }

    /// Whether exports have files of this name.
    private static func isOurs(_ name: String) -> Bool {
        let whole = name.hasSuffix(".partial") ? String(name.dropLast(".partial".count)) : name
        if [manifest, missing].contains(whole) { return true }
        return ExportFormat.fileNames.contains { beginning, suffix in
            guard whole.hasPrefix(beginning), whole.hasSuffix(suffix) else { return false }
            return whole.dropFirst(beginning.count).dropLast(suffix.count).allSatisfy { "0123456789".contains($0) }
        }
    }

    func begin(_ name: String) throws {
        self.name = name
        hash = SHA256()
        size = 0
        let place = "\(path)/\(name).partial"
        let descriptor = open(place, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SettingError("The file \(place) can't be written: \(String(cString: strerror(errno))).")
        }
        file = (OpenFile(descriptor: descriptor), descriptor)
    }

    func write(_ bytes: [UInt8]) throws {
        buffer += bytes
        if buffer.count >= Self.bufferBytes { try flush() }
    }

    private func flush() throws {
        guard let file, !buffer.isEmpty else { return }
        try file.file.write(buffer)
        hash.update(data: buffer)
        size += buffer.count
        buffer.removeAll(keepingCapacity: true)
    }

    func end(records: Int) throws {
        try flush()
        guard let file else { return }
        guard fsync(file.descriptor) == 0, rename("\(path)/\(name).partial", "\(path)/\(name)") == 0 else {
            throw SettingError("The file \(path)/\(name) can't be written: \(String(cString: strerror(errno))).")
        }
        self.file = nil
        files.add(
            ExportManifest.File(
                name: name, records: records, bytes: size, sha256: hash.finalize().hexadecimal))
    }

    /// Completes an export. The manifest comes last: a folder without one has no whole export.
    static func finish(_ path: String, _ manifest: ExportManifest, missing: String, _ files: ExportedFiles) throws {
        try write(Array(missing.utf8), to: "\(path)/\(Self.missing)")
        var manifest = manifest
        manifest.files = files.all
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        try write(Array(try encoder.encode(manifest)) + [0x0a], to: "\(path)/\(Self.manifest)")
        unlink("\(path)/\(ExportClaim.name)")
    }

    private static func write(_ bytes: [UInt8], to path: String) throws {
        let partial = "\(path).partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SettingError("The file \(partial) can't be written: \(String(cString: strerror(errno))).")
        }
        let file = OpenFile(descriptor: descriptor)
        try file.write(bytes)
        let isWritten = withExtendedLifetime(file) { fsync(descriptor) == 0 && rename(partial, path) == 0 }
        guard isWritten else {
            throw SettingError("The file \(path) can't be written: \(String(cString: strerror(errno))).")
        }
    }
}

/// `manifest.json`: what an export has, and by which digests its files are known.
struct ExportManifest: Codable {
    struct File: Codable {
        let name: String
        let records: Int
        let bytes: Int
        let sha256: String
    }

    var schema = "gatehouse.export/1"
    var version = "\(GatehouseVersion.current)"
    let app: String
    let format: String
    /// The form of the members' files, if they are neutral ones.
    let records: String?
    let takenDate: Int64
    let members: Int
    let identities: Int
    let bans: Int
    let ledgerEntries: Int
    let missing: [String: Int]
    var files: [File] = []

    init(app: String, format: ExportFormat, totals: ExportTotals) {
        self.app = app
        self.format = format.rawValue
        takenDate = totals.takenDate
        records = format == .gatehouse ? NeutralHeader.format : nil
        members = totals.members
        identities = totals.identities
        bans = totals.bans
        ledgerEntries = totals.ledgerEntries
        missing = totals.losses.reduce(into: [:]) { $0[$1.key.rawValue] = $1.value }
    }
}

/// The files that an export has written so far.
final class ExportedFiles: Sendable {
    private let files = Mutex<[ExportManifest.File]>([])

    var all: [ExportManifest.File] { files.withLock { $0 } }

    func removeAll() { files.withLock { $0 = [] } }

    func add(_ file: ExportManifest.File) {
        files.withLock { $0.append(file) }
        Terminal.complain("\(file.name)\t\(file.records) records")
    }
}

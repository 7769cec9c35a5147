import GatehouseJSON
import GatehousePlatform

/// A folder that one export at a time writes to. `export.json` says which one has begun, so that one that was cut can be repeated and nothing
/// else is overwritten.
struct ExportClaim {
    static let name = "export.json"

    private struct Begun: Codable, Equatable {
        let app: String
        let format: String
        let withHistory: Bool
    }

    private let descriptor: Int32

    init(_ folder: String, app: String, format: String, withHistory: Bool) throws {
        try PrivateFolder.createNamed(folder)
        let begun = Begun(app: app, format: format, withHistory: withHistory)
        let path = "\(folder)/\(Self.name)"
        let names = try FileManager.default.contentsOfDirectory(atPath: folder)
        guard !names.contains(ExportFolder.manifest) else {
            throw SettingError("The folder \(folder) has an export already. Give another one.")
        }
        guard names.isEmpty || names.contains(Self.name) else {
            throw SettingError("The folder \(folder) is not empty, and has no export that was cut. Give another one.")
        }
        try PrivateFolder.close(folder)
        descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else {
            throw SettingError("The file \(path) can't be written: \(String(cString: strerror(errno))).")
        }
        guard flock(descriptor, LOCK_EX | LOCK_NB) == 0 else {
            close(descriptor)
            throw SettingError("Another export writes to the folder \(folder).")
        }
        do {
            try Self.write(begun, to: descriptor, folder: folder)
        } catch {
            close(descriptor)
            throw error
        }
    }

    private static func write(_ begun: Begun, to descriptor: Int32, folder: String) throws {
        let copy = OpenFile(descriptor: dup(descriptor))
        let earlier = try copy.read(atMost: 65_536, from: 0)
        // One that was killed before it had written its claim has written nothing else.
        if !earlier.isEmpty, let known = try? StoredJSON.read(Begun.self, from: earlier) {
            guard known == begun else {
                throw SettingError("The folder \(folder) has another export, which was cut. Give another one.")
            }
            return
        }
        guard ftruncate(descriptor, 0) == 0 else { throw SettingError("The folder \(folder) can't be written to.") }
        try copy.write(Array(try JSONText.sorted(begun).utf8) + [0x0a])
    }

    /// Lets another process have the folder.
    func release() { close(descriptor) }
}

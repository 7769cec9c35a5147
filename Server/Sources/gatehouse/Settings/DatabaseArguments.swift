import ArgumentParser
import Foundation
import GatehouseServer
import GatehouseStorage

/// Which database a command works on, and the key that its secrets are encrypted with.
struct DatabaseArguments: ParsableArguments {
    @Option(help: "The configuration file.")
    var config: String?

    @Option(help: "sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME. Default: sqlite:.gatehouse/gatehouse.db")
    var database: String?

    @Option(
        help: """
            The file with the master key, which is created at the first start. Default: the SQLite file's name with .key, \
            or .gatehouse/gatehouse.key. Instead of a file, GATEHOUSE_MASTER_KEY may hold 32 bytes in base64.
            """)
    var keyFile: String?

    var flags: [String: String?] { ["config": config, "database": database, "key-file": keyFile] }
    static let names: Set<String> = ["database", "key-file"]
}

/// Where the data of one server lies.
struct DataPlace {
    let location: DatabaseLocation
    private let settings: Settings

    init(_ settings: Settings) throws {
        self.settings = settings
        let (text, source) = settings.text("database") ?? ("sqlite:.gatehouse/gatehouse.db", .flag("database"))
        do {
            location = try DatabaseLocation(text)
        } catch {
            throw SettingError("The setting database is wrong (\(source)): \(error)")
        }
    }

    /// What the names of the files beside the database begin with.
    var prefix: String { location.filePath ?? ".gatehouse/gatehouse" }

    /// Where the master key comes from; a key file that is not there is created.
    func masterKey(random: RandomSource) throws -> MasterKeySource {
        if let key = try Self.key(in: "GATEHOUSE_MASTER_KEY") { return .given(key) }
        let path = settings.text("key-file")?.value ?? (location.filePath.map { "\($0).key" } ?? "\(prefix).key")
        try Self.createFolder(of: path)
        return .file(MasterKeyFile(path: path))
    }

    /// The master key that `gatehouse rekey` sets, where it does not make one by itself.
    static func newMasterKey() throws -> [UInt8]? { try key(in: "GATEHOUSE_NEW_MASTER_KEY") }

    /// A key in the environment. Not a flag: a process's arguments can be read by everyone on the machine.
    private static func key(in variable: String) throws -> [UInt8]? {
        guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else { return nil }
        do {
            return try MasterKey.decode(text)
        } catch {
            throw SettingError("The environment variable \(variable) is wrong: \(error).")
        }
    }

    /// Opens the database and brings its schema up to date.
    func open(events: StorageEvents = .logged()) async throws -> Database {
        if let path = location.filePath { try Self.createFolder(of: path) }
        let database = try await Database.open(location, events: events)
        _ = try await database.migrate(Migration.all)
        return database
    }

    static func createFolder(of path: String) throws {
        let folder = (path as NSString).deletingLastPathComponent
        guard !folder.isEmpty else { return }
        // What lies in it is for its owner only.
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    }
}

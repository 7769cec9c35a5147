import ArgumentParser
import GatehouseCore
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseStorage
import Logging

/// The database of a command, and the key that encrypts its secrets.
struct DatabaseArguments: ParsableArguments {
    @Option(
        help: """
            The configuration file. Default, but for dev: ~/.config/gatehouse/gatehouse.conf or \
            /etc/gatehouse/gatehouse.conf, where there is one
            """)
    var config: String?

    @Option(help: "sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME. Default: sqlite:.gatehouse/gatehouse.db")
    var database: String?

    @Option(
        help: """
            The file with the master key, which is created at the first start. Default: the SQLite file's name with .key; \
            for PostgreSQL ~/.local/share/gatehouse/HOST-PORT-NAME.key. Instead of a file, GATEHOUSE_MASTER_KEY may hold 32 \
            bytes in base64.
            """)
    var keyFile: String?

    var flags: [String: String?] { ["config": config, "database": database, "key-file": keyFile] }

    /// - Parameter others: the flags of only this command.
    func settings(also others: [String: String?] = [:]) throws -> Settings {
        try Settings(
            flags: flags.merging(others) { own, _ in own }, environment: ProcessInfo.processInfo.environment)
    }
}

extension Database {
    /// Runs a body, and closes the database, whether or not the body has failed.
    func closing<Value>(_ work: (Database) async throws -> Value) async throws -> Value {
        do {
            let value = try await work(self)
            await close()
            return value
        } catch {
            await close()
            throw error
        }
    }
}

/// The location of one server's data.
struct DataPlace {
    let location: DatabaseLocation
    /// Where the setting was found; nil for the default.
    let source: SettingSource?
    private let settings: Settings

    init(_ settings: Settings) throws {
        self.settings = settings
        let found = settings.text("database")
        source = found?.source
        do {
            location = try DatabaseLocation(found?.value ?? KnownSetting.database)
        } catch {
            throw SettingError("The setting database is wrong (\(source ?? .flag("database"))): \(error)")
        }
    }

    /// The common prefix of the names of files that belong to the database. They are beside SQLite's file. PostgreSQL's are in the
    /// user's home directory, so that they are the same from every working directory.
    var prefix: String {
        if let path = location.filePath { return path }
        let environment = ProcessInfo.processInfo.environment
        let data =
            environment["XDG_DATA_HOME"].flatMap { $0.hasPrefix("/") ? $0 : nil } ?? "\(Settings.home)/.local/share"
        return "\(data)/gatehouse/\(location.fileName)"
    }

    /// The file of the master key, unless the environment has it.
    var keyPath: String { settings.text("key-file")?.value ?? "\(prefix).key" }

    /// A description of the master key's location, for people.
    var keyDescription: String { MasterKeyVariable.isSet ? MasterKeyVariable.present : keyPath }

    /// The source of the master key. A key file that does not exist is created.
    func masterKey(random: RandomSource) throws -> MasterKeySource {
        if let key = try Self.givenMasterKey() { return .given(key) }
        try Self.createFolder(of: keyPath)
        return .file(MasterKeyFile(path: keyPath))
    }

    /// The master key from the environment, if it has one.
    static func givenMasterKey() throws -> [UInt8]? { try key(in: MasterKeyVariable.present) }

    /// The master key that `gatehouse rekey` sets, if it should not generate one.
    static func newMasterKey() throws -> [UInt8]? { try key(in: MasterKeyVariable.next) }

    /// A key from the environment. It is not a flag, because a process's arguments can be read by everyone on the machine.
    private static func key(in variable: String) throws -> [UInt8]? {
        guard let text = ProcessInfo.processInfo.environment[variable], !text.isEmpty else { return nil }
        do {
            return try MasterKey.decode(text)
        } catch {
            throw SettingError("The environment variable \(variable) is wrong: \(error).")
        }
    }

    /// Opens the database and updates its schema.
    ///
    /// - Parameter mayCreate: whether a database that does not exist is created.
    /// - Returns: the database, and whether it has just been created.
    /// - Throws: ``SettingError`` if it doesn't exist and may not be created: then nothing is.
    func openOrCreate(
        mayCreate: Bool = true, events: StorageEvents = .logged()
    ) async throws -> (database: Database, isNew: Bool) {
        let refusal = SettingError(
            "There is no Gatehouse database at \(location) (\(sourceDescription)), and create-database is false: "
                + "`gatehouse migrate` makes one. If players have used this server before, do not make one, and look "
                + "first whether the place is right and its disk is there.")
        if let path = location.filePath {
            guard mayCreate || FileManager.default.fileExists(atPath: path) else { throw refusal }
            try Self.createFolder(of: path)
            OpenFile.createForOwnerOfFolder(path)
        }
        let database = try await openFile(events)
        do {
            let isNew = try await database.schema(Migration.all) == .missing
            guard mayCreate || !isNew else { throw refusal }
            try await database.migrate(Migration.all)
            return (database, isNew)
        } catch {
            await database.close()
            throw error
        }
    }

    /// The source of the setting, for people.
    var sourceDescription: String { source?.description ?? "the default" }

    /// Opens the database. What SQLite says about a file that is none of its own does not name it.
    private func openFile(_ events: StorageEvents) async throws -> Database {
        do {
            return try await Database.open(location, events: events)
        } catch {
            guard location.filePath != nil else { throw error }
            throw SettingError("The database \(location) can't be opened (\(sourceDescription)): \(error).")
        }
    }

    /// Opens an existing database.
    ///
    /// - Throws: ``SettingError`` if the database doesn't exist or has another version's schema, because a command must not create or
    ///   change a schema.
    func open() async throws -> Database {
        for case .emptyFile(let path) in settings.notices {
            Terminal.complain("the configuration file \(path) sets nothing")
        }
        if let path = location.filePath, !FileManager.default.fileExists(atPath: path) {
            throw SettingError(missing)
        }
        let database = try await openFile(.logged())
        do {
            switch try await database.schema(Migration.all) {
            case .current: return database
            case .missing: throw SettingError(missing)
            case .older:
                throw SettingError(
                    "The database \(location) (\(sourceDescription)) is of an older version: `gatehouse migrate`, or the start of a server, brings it up to date."
                )
            }
        } catch {
            await database.close()
            throw error
        }
    }

    private var missing: String {
        "There is no Gatehouse database at \(location) (\(sourceDescription)): `gatehouse serve`, `dev` or `migrate` makes "
            + "one. Another is named by --database, GATEHOUSE_DATABASE or the configuration file."
    }

    /// Creates the folder of a file, accessible only to its owner.
    static func createFolder(of path: String) throws {
        // NSString's own method ends the process for a path of one letter on Linux.
        try PrivateFolder.createNamed(URL(fileURLWithPath: path).deletingLastPathComponent().path)
    }
}

/// The environment's variables that hold a master key. There is no flag and no line of a file for it.
enum MasterKeyVariable {
    static let present = "GATEHOUSE_MASTER_KEY"
    static let next = "GATEHOUSE_NEW_MASTER_KEY"
    static let all = [present, next]

    static var isSet: Bool { ProcessInfo.processInfo.environment[present]?.isEmpty == false }
}

extension StorageEvents {
    /// Writes PostgreSQL's messages to a log: notices are for developers, warnings for operators.
    static func logged(to logger: Logger = .command) -> StorageEvents {
        var events = StorageEvents()
        events.noticed = { message, isWarning in
            logger.log(
                level: isWarning ? .warning : .debug, "PostgreSQL tells something",
                metadata: ["notice": .string(message)])
        }
        return events
    }
}

extension Logger {
    /// The log of a command other than a server: JSON lines on the standard error stream.
    static var command: Logger {
        Logger(label: "gatehouse") { JSONLogHandler(label: $0, level: .info, now: ServerEnvironment.live.now) }
    }
}

import GatehousePlatform

/// Copies a whole database into one file while servers use it, and restores it from there.
public enum DatabaseCopy {
    /// The contents of a copy.
    public struct Summary: Sendable, Hashable {
        /// The number of the newest migration.
        public let migration: Int
        public let bytes: Int
    }

    /// Writes a copy and reads it back to check it. Only the owner can read the file, and it gets its name only when it is complete.
    ///
    /// - Parameters:
    ///   - path: a path that does not exist yet.
    ///   - progress: receives messages about the progress.
    /// - Throws: ``DatabaseCopyError``, ``StorageError``.
    public static func write(
        _ location: DatabaseLocation, to path: String, progress: (String) -> Void
    ) throws -> Summary {
        guard !FileManager.default.fileExists(atPath: path) else { throw DatabaseCopyError.fileExists(path) }
        let partial = "\(path).partial"
        let descriptor = open(partial, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw errno == EEXIST
                ? DatabaseCopyError.partialFileExists(partial) : DatabaseCopyError.cannotWrite(path, errorText())
        }
        close(descriptor)
        do {
            switch location.place {
            case .sqlite(let source): try SQLiteCopy.write(source, to: partial, progress: progress)
            case .postgresql(let url): try PostgreSQLCopy.write(url, to: partial, progress: progress)
            }
            progress("checking the copy")
            let summary = try check(partial)
            // A rename would replace a file that was created in the meantime; a link fails instead.
            guard link(partial, path) == 0 else {
                throw errno == EEXIST
                    ? DatabaseCopyError.fileExists(path) : DatabaseCopyError.cannotWrite(path, errorText())
            }
            unlink(partial)
            try makeDurable(path)
            return summary
        } catch {
            unlink(partial)
            throw error
        }
    }

    /// Reads a copy completely.
    ///
    /// - Throws: ``DatabaseCopyError/damaged(_:_:)``, ``DatabaseCopyError/notACopy(_:)``.
    public static func check(_ path: String) throws -> Summary {
        let migration =
            switch try kind(of: path) {
            case .sqlite: try SQLiteCopy.check(path)
            case .postgresql: try PostgreSQLCopy.check(path)
            }
        var status = stat()
        guard stat(path, &status) == 0 else { throw DatabaseCopyError.cannotRead(path) }
        return Summary(migration: migration, bytes: Int(status.st_size))
    }

    /// Restores a copy into a database that no server uses.
    ///
    /// - Parameters:
    ///   - replacing: whether existing data in the database may be replaced.
    ///   - known: the newest migration of this version; a copy with a newer one is refused.
    /// - Throws: ``DatabaseCopyError``, ``StorageError``.
    public static func restore(
        _ path: String, to location: DatabaseLocation, replacing: Bool, known: Int, progress: (String) -> Void
    ) async throws -> Summary {
        progress("checking the copy")
        let summary = try check(path)
        guard summary.migration <= known else {
            throw StorageError.schemaTooNew(found: summary.migration, known: known)
        }
        switch (location.place, try kind(of: path)) {
        case (.sqlite(let target), .sqlite):
            try SQLiteCopy.restore(path, to: target, replacing: replacing, progress: progress)
        case (.postgresql(let url), .postgresql):
            try await PostgreSQLCopy.restore(path, to: url, replacing: replacing, progress: progress)
        case (.sqlite, .postgresql): throw DatabaseCopyError.otherEngine(path, copy: "PostgreSQL", database: "SQLite")
        case (.postgresql, .sqlite): throw DatabaseCopyError.otherEngine(path, copy: "SQLite", database: "PostgreSQL")
        }
        return summary
    }

    private enum Kind {
        case sqlite, postgresql
    }

    private static func kind(of path: String) throws -> Kind {
        guard let file = OpenFile(reading: path) else { throw DatabaseCopyError.cannotRead(path) }
        let head = (try? file.read(atMost: 16)) ?? []
        if head == Array("SQLite format 3\0".utf8) { return .sqlite }
        if head.starts(with: "PGDMP".utf8) { return .postgresql }
        throw DatabaseCopyError.notACopy(path)
    }

    /// Opens a database that no server and no other command uses, with as few connections as possible.
    ///
    /// - Throws: ``DatabaseCopyError/inUse(_:)``.
    static func withOpenAlone(_ location: DatabaseLocation, _ body: (Database) async throws -> Void) async throws {
        if case .sqlite(let path) = location.place { try SQLiteCopy.requireAlone(path) }
        var options = DatabaseOptions()
        options.connections = 1
        options.ownConnections = 1
        let database = try await Database.open(location, options: options)
        do {
            if case .postgresql = location.place { try await PostgreSQLCopy.requireAlone(database) }
            try await body(database)
        } catch {
            await database.close()
            throw error
        }
        await database.close()
    }

    static func errorText() -> String { String(cString: strerror(errno)) }

    /// Makes the copy and its name durable.
    private static func makeDurable(_ path: String) throws {
        for place in [path, URL(fileURLWithPath: path).deletingLastPathComponent().path] {
            let descriptor = open(place, O_RDONLY | O_CLOEXEC)
            guard descriptor >= 0 else { throw DatabaseCopyError.cannotWrite(path, errorText()) }
            defer { close(descriptor) }
            guard fsync(descriptor) == 0 else { throw DatabaseCopyError.cannotWrite(path, errorText()) }
        }
    }
}

/// Why a copy can't be made or restored. No description contains a password.
public enum DatabaseCopyError: Error, Sendable, Hashable, CustomStringConvertible {
    case fileExists(String)
    case partialFileExists(String)
    case cannotRead(String)
    case cannotWrite(String, String)
    case noDatabase(String)
    case notACopy(String)
    case damaged(String, String)
    case otherEngine(String, copy: String, database: String)
    /// The database does not have the schema of this version.
    case otherSchema(String)
    /// The copy of a table and the table differ in their numbers of rows.
    case incomplete(String, source: Int, target: Int)
    /// The database contains data, and replacing it was not requested.
    case holdsData
    case leftoverLog(String)
    case inUse(String)
    case toolMissing(String)
    case toolFailed(String, String)

    public var description: String {
        switch self {
        case .fileExists(let path): "the file \(path) is there already: nothing is overwritten"
        case .partialFileExists(let path):
            "the file \(path) is there: another backup is writing it, or one was stopped. Remove it in that case"
        case .cannotRead(let path): "the file \(path) can't be read"
        case .cannotWrite(let path, let reason): "the file \(path) can't be written: \(reason)"
        case .noDatabase(let path): "there is no database \(path)"
        case .notACopy(let path):
            "the file \(path) is no copy that `gatehouse backup` has made. A dump in SQL is brought back with `psql -f`"
        case .damaged(let path, let reason): "the copy \(path) is damaged: \(reason)"
        case .otherEngine(let path, let copy, let database):
            "the file \(path) is a copy of a \(copy) database, and the setting database names one of \(database)"
        case .otherSchema(let database):
            "the schema of \(database) is of another version: `gatehouse migrate` brings it up to date"
        case .incomplete(let table, let source, let target):
            "\(target) of \(source) rows of the table \(table) would arrive: nothing is copied"
        case .holdsData:
            "the database holds something already: nothing is changed. Say --replace to give that up for the copy"
        case .leftoverLog(let path):
            "the file \(path) is there without its database, and would be applied to the copy: move it away, or say --replace"
        case .inUse(let who): "\(who) uses the database: stop every server first"
        case .toolMissing(let name):
            "the program \(name) is not in PATH: install PostgreSQL's client programs, of the server's version or newer"
        case .toolFailed(let name, let reason): "\(name) has failed: \(reason)"
        }
    }
}

import CSQLite
import GatehousePlatform

/// Copies SQLite databases with SQLite's online backup.
enum SQLiteCopy {
    static func write(_ source: String, to path: String, progress: (String) -> Void) throws {
        guard source != ":memory:", FileManager.default.fileExists(atPath: source) else {
            throw DatabaseCopyError.noDatabase(source)
        }
        let from = try SQLiteFile(source)
        let to = try SQLiteFile(path)
        // One snapshot is used for the whole copy, because otherwise every commit of the server would restart the copy.
        try from.execute("BEGIN")
        _ = try from.text("SELECT COUNT(*) FROM sqlite_master")
        try to.fill(from: from, progress: progress)
        try from.execute("COMMIT")
        // The copy must be a single file.
        _ = try to.text("PRAGMA journal_mode=DELETE")
    }

    /// Returns the number of the newest migration.
    static func check(_ path: String) throws -> Int {
        do {
            let file = try SQLiteFile(path)
            let findings = try file.text("PRAGMA integrity_check(1)")
            guard findings == "ok" else { throw DatabaseCopyError.damaged(path, findings ?? "nothing can be read") }
            guard try file.text("SELECT name FROM sqlite_master WHERE name = 'schema_migrations'") != nil,
                let number = try file.text("SELECT MAX(number) FROM schema_migrations").flatMap({ Int($0) })
            else { throw DatabaseCopyError.damaged(path, "it holds no schema of Gatehouse") }
            return number
        } catch let error as StorageError {
            throw DatabaseCopyError.damaged(path, "\(error)")
        }
    }

    static func restore(_ path: String, to target: String, replacing: Bool, progress: (String) -> Void) throws {
        guard target != ":memory:" else { throw DatabaseCopyError.noDatabase(target) }
        let isNew = try prepare(target, replacing: replacing)
        do {
            let to = try SQLiteFile(target)
            if !isNew {
                if !replacing, try to.text("SELECT name FROM sqlite_master LIMIT 1") != nil {
                    throw DatabaseCopyError.holdsData
                }
                try requireAlone(to, target)
            }
            // The target stays locked until it is complete, and is unchanged if the copy is interrupted.
            try to.fill(from: SQLiteFile(path), progress: progress)
            let findings = try to.text("PRAGMA quick_check(1)")
            guard findings == "ok" else { throw DatabaseCopyError.damaged(target, findings ?? "nothing can be read") }
        } catch {
            if isNew { unlink(target) }
            throw error
        }
    }

    /// Creates an empty file that only its owner can read, if none exists; returns whether it has created one.
    private static func prepare(_ target: String, replacing: Bool) throws -> Bool {
        guard !FileManager.default.fileExists(atPath: target) else { return false }
        // SQLite would apply the log of a deleted database to the one that replaces it.
        let log = "\(target)-wal"
        if FileManager.default.fileExists(atPath: log) {
            guard replacing else { throw DatabaseCopyError.leftoverLog(log) }
            for leftover in [log, "\(target)-shm"] { unlink(leftover) }
        }
        let descriptor = open(target, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw DatabaseCopyError.cannotWrite(target, DatabaseCopy.errorText()) }
        FolderOwner.take(descriptor, at: target)
        close(descriptor)
        return true
    }

    /// Throws ``DatabaseCopyError/inUse(_:)`` when another process has the file open.
    static func requireAlone(_ path: String) throws {
        if FileManager.default.fileExists(atPath: path) { try requireAlone(SQLiteFile(path), path) }
    }

    /// Leaving write-ahead-log mode is possible only without other connections. It also moves the log's content into the file.
    private static func requireAlone(_ file: SQLiteFile, _ path: String) throws {
        do {
            guard try file.text("PRAGMA journal_mode=DELETE") == "delete" else {
                throw DatabaseCopyError.inUse("another process")
            }
        } catch StorageError.unavailable {
            throw DatabaseCopyError.inUse("another process")
        }
    }
}

/// A SQLite file to copy from or to. It is opened without the settings of a server's connection.
private final class SQLiteFile {
    private static let pagesPerStep: Int32 = 4_096
    private let handle: OpaquePointer

    init(_ path: String) throws {
        var handle: OpaquePointer?
        let status = sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE | SQLITE_OPEN_FULLMUTEX, nil)
        guard status == SQLITE_OK, let handle else {
            let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close(handle)
            throw StorageError.unavailable("the file \(path) can't be opened: \(reason)")
        }
        self.handle = handle
        sqlite3_busy_timeout(handle, 2_000)
    }

    deinit { sqlite3_close(handle) }

    func execute(_ statement: String) throws {
        let status = sqlite3_exec(handle, statement, nil, nil, nil)
        guard status == SQLITE_OK else { throw error(status) }
    }

    /// The first column of the first row, or nil.
    func text(_ query: String) throws -> String? {
        var statement: OpaquePointer?
        let status = sqlite3_prepare_v2(handle, query, -1, &statement, nil)
        guard status == SQLITE_OK else { throw error(status) }
        defer { sqlite3_finalize(statement) }
        switch sqlite3_step(statement) {
        case SQLITE_ROW: return sqlite3_column_text(statement, 0).map { String(cString: $0) }
        case SQLITE_DONE: return nil
        case let status: throw error(status)
        }
    }

    /// Copies all pages of another file, in one transaction.
    func fill(from other: SQLiteFile, progress: (String) -> Void) throws {
        guard let backup = sqlite3_backup_init(handle, "main", other.handle, "main") else {
            throw error(sqlite3_errcode(handle))
        }
        var status = SQLITE_OK
        var told = 0
        while status == SQLITE_OK {
            status = sqlite3_backup_step(backup, Self.pagesPerStep)
            let total = max(1, Int(sqlite3_backup_pagecount(backup)))
            let percent = 100 * (total - Int(sqlite3_backup_remaining(backup))) / total
            if status == SQLITE_OK, percent >= told + 5 {
                told = percent
                progress("copied \(percent) percent of \(total) pages")
            }
        }
        let end = sqlite3_backup_finish(backup)
        guard status == SQLITE_DONE, end == SQLITE_OK else {
            throw error(status == SQLITE_DONE ? end : status)
        }
    }

    private func error(_ status: Int32) -> StorageError {
        switch status & 0xff {
        case SQLITE_FULL: .diskFull
        case SQLITE_BUSY, SQLITE_LOCKED: .unavailable("another process holds the database")
        default: .failed(code: String(status), message: String(cString: sqlite3_errstr(status)))
        }
    }
}

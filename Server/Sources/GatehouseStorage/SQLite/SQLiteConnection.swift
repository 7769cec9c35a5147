import CSQLite
import GatehousePlatform

/// A connection to a SQLite file, used by one thread, with its prepared statements.
final class SQLiteConnection: Connection {
    private static let statementLimit = 256
    // SQLITE_TRANSIENT is a cast that Swift can't import. With it, SQLite copies bound values.
    private static let copied = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    private static let isConfigured: Bool = gatehouse_sqlite3_disable_memory_statistics() == SQLITE_OK

    private let handle: OpaquePointer
    private var statements: [StatementKey: OpaquePointer] = [:]

    /// - Parameters:
    ///   - isReader: whether every write is refused.
    ///   - patienceSeconds: how long a statement waits while another process holds the file.
    init(path: String, isReader: Bool, patienceSeconds: Double = DatabaseOptions().patienceSeconds) throws {
        _ = Self.isConfigured
        if path != ":memory:" { Self.createForOwner(path) }
        var handle: OpaquePointer?
        let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX
        let status = sqlite3_open_v2(path, &handle, flags, nil)
        guard status == SQLITE_OK, let handle else {
            let reason = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
            sqlite3_close(handle)
            throw StorageError.unavailable("the file \(path) can't be opened: \(reason)")
        }
        self.handle = handle
        sqlite3_extended_result_codes(handle, 1)
        // Another process locks the file for the duration of one commit, but SQLite gives the file to nobody in turn. SQLite's own
        // time-out asks again only every 100 ms, and hardly ever finds it free beside a process that writes without a pause, as an import.
        let milliseconds = Int(min(max(patienceSeconds, 0), 3_600) * 1_000)
        sqlite3_busy_handler(
            handle,
            { milliseconds, count in
                guard Int(count) < Int(bitPattern: milliseconds) else { return 0 }
                usleep(1_000)
                return 1
            }, UnsafeMutableRawPointer(bitPattern: milliseconds))
        try configure(isMemory: path == ":memory:", isReader: isReader)
    }

    /// Creates the file so that only its owner can read it; SQLite gives its other files the same permissions.
    ///
    /// An existing file is not opened: a process that closes any descriptor of a file loses all its locks on it, including those of
    /// SQLite's connections, and then another process could remove the write-ahead log that these write to.
    private static func createForOwner(_ path: String) {
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        if descriptor >= 0 { close(descriptor) }
    }

    /// When the last connection closes, SQLite moves the write-ahead log into the file.
    deinit {
        for statement in statements.values { sqlite3_finalize(statement) }
        sqlite3_close(handle)
    }

    private func configure(isMemory: Bool, isReader: Bool) throws {
        if !isMemory { try useWriteAheadLog() }
        try execute("PRAGMA synchronous=FULL")
        // An acknowledged write must be on the disk, so the setting is read back.
        guard try text("PRAGMA synchronous") == "2" else {
            throw StorageError.unavailable("SQLite does not take synchronous=FULL")
        }
        try execute("PRAGMA foreign_keys=ON")
        try execute("PRAGMA cache_size=-16000")
        try execute("PRAGMA temp_store=MEMORY")
        try execute("PRAGMA wal_autocheckpoint=4000")
        try execute("PRAGMA journal_size_limit=67108864")
        if isReader { try execute("PRAGMA query_only=ON") }
    }

    /// SQLite's own busy time-out does not apply to this change: if two connections make it at the same time, one is refused
    /// immediately.
    private func useWriteAheadLog(attempts: Int = 500) throws {
        do {
            guard try text("PRAGMA journal_mode=WAL") == "wal" else {
                throw StorageError.unavailable("SQLite's write-ahead log can't be used on this file system")
            }
        } catch {
            guard attempts > 1, sqlite3_errcode(handle) & 0xff == SQLITE_BUSY else { throw error }
            usleep(10_000)
            try useWriteAheadLog(attempts: attempts - 1)
        }
    }

    /// How long one statement may take. Nil for no limit.
    var statementSeconds: Double? {
        didSet {
            guard statementSeconds != nil else { return sqlite3_progress_handler(handle, 0, nil, nil) }
            // SQLite asks after this number of its virtual machine's instructions, which take about a millisecond.
            sqlite3_progress_handler(
                handle, 20_000,
                { context in
                    guard let context else { return 0 }
                    return Unmanaged<SQLiteConnection>.fromOpaque(context).takeUnretainedValue().isLate ? 1 : 0
                }, Unmanaged.passUnretained(self).toOpaque())
        }
    }
    /// When the current statement began, in monotonic nanoseconds.
    private var statementBegan: UInt64 = 0

    private var isLate: Bool {
        guard let statementSeconds else { return false }
        return Double(MonotonicClock.nanoseconds &- statementBegan) > statementSeconds * 1e9
    }

    /// Whether a statement that may write has been run since this was last set to false.
    var hasWritten = false

    var isInTransaction: Bool { sqlite3_get_autocommit(handle) == 0 }

    func execute(_ text: String) throws {
        _ = try run(text, []) { _ in true }
    }

    private func text(_ statement: String) throws -> String? {
        var found: String?
        _ = try run(statement, []) { row in
            switch try row.column(0) {
            case .text(let text): found = text
            case .integer(let number): found = String(number)
            case .bytes, .null: break
            }
            return false
        }
        return found
    }

    func run(_ text: String, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int {
        try run(prepared(text), values, row)
    }

    private func run(_ statement: OpaquePointer, _ values: [SQLValue], _ row: (Row) throws -> Bool) throws -> Int {
        defer {
            sqlite3_reset(statement)
            sqlite3_clear_bindings(statement)
        }
        if sqlite3_stmt_readonly(statement) == 0 { hasWritten = true }
        if statementSeconds != nil { statementBegan = MonotonicClock.nanoseconds }
        for (index, value) in values.enumerated() { try bind(value, at: Int32(index + 1), of: statement) }
        while true {
            switch sqlite3_step(statement) {
            case SQLITE_ROW:
                let column: (Int) throws -> SQLValue = { try Self.value(at: $0, of: statement) }
                guard try row(Row(column: column)) else { return Int(sqlite3_changes(handle)) }
            case SQLITE_DONE:
                return sqlite3_stmt_readonly(statement) != 0 ? 0 : Int(sqlite3_changes(handle))
            case let status:
                throw error(status)
            }
        }
    }

    func read(_ statement: Statement, _ row: (Row) throws -> Bool) throws {
        let prepared = try prepared(statement.text)
        guard sqlite3_stmt_readonly(prepared) != 0 else { throw StorageError.readOnly }
        _ = try run(prepared, statement.values, row)
    }

    func write(_ write: Write) throws {
        do {
            let changed = try run(write.statement.text, write.statement.values) { _ in true }
            if changed == 0, let missed = write.missed { throw missed }
        } catch let error as StorageError {
            throw write.refusal(of: error)
        }
    }

    private func prepared(_ text: String) throws -> OpaquePointer {
        let key = StatementKey(text: text)
        if let statement = statements[key] { return statement }
        var statement: OpaquePointer?
        let status = text.withCString { pointer in
            sqlite3_prepare_v3(handle, pointer, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &statement, nil)
        }
        guard status == SQLITE_OK, let statement else { throw error(status) }
        // Statements come from the source code, so there are only a few. The limit protects against a mistake that breaks this
        // assumption.
        if statements.count >= Self.statementLimit {
            for old in statements.values { sqlite3_finalize(old) }
            statements = [:]
        }
        statements[key] = statement
        return statement
    }

    private func bind(_ value: SQLValue, at index: Int32, of statement: OpaquePointer) throws {
        let status: Int32
        switch value {
        case .null: status = sqlite3_bind_null(statement, index)
        case .integer(let number): status = sqlite3_bind_int64(statement, index, number)
        case .text(var text):
            status = text.withUTF8 { utf8 in
                utf8.withMemoryRebound(to: CChar.self) {
                    // An empty text's address may be nil, which SQLite would interpret as NULL.
                    guard let address = $0.baseAddress else {
                        return sqlite3_bind_text(statement, index, "", 0, Self.copied)
                    }
                    return sqlite3_bind_text(statement, index, address, Int32(clamping: $0.count), Self.copied)
                }
            }
        case .bytes(let bytes):
            status =
                bytes.isEmpty
                ? sqlite3_bind_zeroblob(statement, index, 0)
                : sqlite3_bind_blob(statement, index, bytes, Int32(clamping: bytes.count), Self.copied)
        }
        guard status == SQLITE_OK else { throw error(status) }
    }

    private static func value(at index: Int, of statement: OpaquePointer) throws -> SQLValue {
        guard (0..<Int(sqlite3_column_count(statement))).contains(index) else {
            throw StorageError.unexpectedValue(expected: "column \(index)", found: "none")
        }
        let index = Int32(index)
        switch sqlite3_column_type(statement, index) {
        case SQLITE_NULL: return .null
        case SQLITE_INTEGER: return .integer(sqlite3_column_int64(statement, index))
        case SQLITE_TEXT:
            guard let text = sqlite3_column_text(statement, index) else { return .text("") }
            let bytes = UnsafeBufferPointer(start: text, count: Int(sqlite3_column_bytes(statement, index)))
            return .text(String(decoding: bytes, as: UTF8.self))
        case SQLITE_BLOB:
            guard let blob = sqlite3_column_blob(statement, index) else { return .bytes([]) }
            return .bytes(
                Array(UnsafeRawBufferPointer(start: blob, count: Int(sqlite3_column_bytes(statement, index)))))
        default: throw StorageError.unexpectedValue(expected: "integer, text or bytes", found: "a float")
        }
    }

    private func error(_ status: Int32) -> StorageError {
        // SQLite's messages contain tables and columns, never values.
        let message = String(cString: sqlite3_errmsg(handle))
        switch status {
        case SQLITE_CONSTRAINT | 6 << 8, SQLITE_CONSTRAINT | 8 << 8, SQLITE_CONSTRAINT | 10 << 8:
            // "UNIQUE constraint failed: " and then each column with its table.
            return .duplicate(String(message.split(separator: ": ", maxSplits: 1).last ?? ""))
        // After a failed sync, the data may be gone from memory without being on the disk.
        case SQLITE_IOERR | 4 << 8, SQLITE_IOERR | 5 << 8: return .broken("\(message) (\(status))")
        default: break
        }
        switch status & 0xff {
        case SQLITE_FULL: return .diskFull
        case SQLITE_READONLY: return .readOnly
        case SQLITE_CONSTRAINT: return .constraintViolated(message)
        // It has taken longer than a report may.
        case SQLITE_INTERRUPT: return .overloaded
        case SQLITE_BUSY, SQLITE_LOCKED: return .unavailable("another process holds the database")
        case SQLITE_CORRUPT, SQLITE_NOTADB: return .broken("\(message) (\(status))")
        case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_PROTOCOL:
            return .unavailable("\(message) (\(status))")
        default: return .failed(code: String(status), message: message)
        }
    }
}

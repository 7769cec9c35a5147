import CLibPQ

/// A PostgreSQL database of another program, which is only read. Neither its address nor its description has a password.
public struct ForeignDatabase: Sendable, CustomStringConvertible {
    /// Why a text is no address. It does not repeat the text, which may have a password all the same.
    public enum Invalid: Error, Sendable, Hashable, CustomStringConvertible {
        case malformed
        /// A process's arguments can be read by everyone on the machine.
        case hasPassword

        public var description: String {
            switch self {
            case .malformed: "it must be postgres://USER@HOST:PORT/NAME"
            case .hasPassword: "it has a password, which everybody on this machine can read"
            }
        }
    }

    private let url: String

    /// Parses `postgres://USER@HOST:PORT/NAME`, with libpq's parameters after it if there are any.
    public init(_ text: String) throws(Invalid) {
        guard text.hasPrefix("postgres://") || text.hasPrefix("postgresql://"), !text.utf8.contains(0),
            let options = TransportSecurity.options(of: text)
        else { throw .malformed }
        guard options["password"] == nil, options["sslpassword"] == nil else { throw .hasPassword }
        // libpq's message about a port that is no number repeats it, and it may be a part of a password.
        let ports = (options["port"] ?? "").utf8
        guard !PostgreSQLAddresses(text).places.isEmpty,
            ports.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) || $0 == UInt8(ascii: ",") })
        else { throw .malformed }
        url = text
    }

    /// `postgres://HOST:PORT/NAME`
    public var description: String { "postgres://\(PostgreSQLAddresses(url))" }

    /// Begins to read the rows of a SELECT of one column, from a snapshot of this moment.
    ///
    /// - Parameter password: nil for libpq's own sources: `PGPASSWORD` and the password file.
    /// - Throws: ``ForeignDatabaseFailure``.
    public func rows(of select: String, password: String?) throws -> ForeignRows {
        try ForeignRows(select, at: url, password: password)
    }
}

/// The rows of one SELECT on another program's database, from one snapshot in a transaction that can't write. They come by a cursor, and one
/// at a time is in memory. Calls block their thread.
///
/// Unlike ``PostgreSQLConnection`` it takes a standby and every pooler: its settings end with its transaction, and nothing is prepared.
public final class ForeignRows {
    private static let rowsPerPage = 1_000

    /// When the snapshot was about to be taken, by the database's clock, in milliseconds since 1970.
    public let date: Int64
    private let handle: PostgreSQLHandle
    private var isFetching = false
    /// How many rows of the page at hand have come.
    private var fetched = 0
    private var isAtEnd = false
    /// Why there is no next row, so that what was cut never looks like an end.
    private var failure: ForeignDatabaseFailure?

    init(_ select: String, at url: String, password: String?) throws {
        handle = try PostgreSQLConnection.connect(url, password: password, notices: PostgreSQLNotices { _, _ in })
        date = try Self.begin(select, on: handle)
    }

    /// Opens the cursor, and returns the date.
    private static func begin(_ select: String, on handle: borrowing PostgreSQLHandle) throws -> Int64 {
        guard handle.isOpen else { throw ForeignDatabaseFailure(unopened: handle) }
        var date: Int64 = 0
        for statement in [
            "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY",
            // The other program's own limits are for its short calls.
            "SET LOCAL statement_timeout = 0", "SET LOCAL idle_in_transaction_session_timeout = 0",
            // Rows that a policy hides are an error, because they would be missing in silence.
            "SET LOCAL row_security = off",
            "DECLARE foreign_rows NO SCROLL CURSOR FOR \(select)",
            "SELECT CAST(floor(extract(epoch FROM transaction_timestamp()) * 1000) AS BIGINT)",
        ] {
            let result = PQexec(handle.pointer, statement)
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_COMMAND_OK: break
            case PGRES_TUPLES_OK: date = try PostgreSQLResult(pointer: result).row(0)[0]
            default: throw ForeignDatabaseFailure(result)
            }
        }
        return date
    }

    /// The bytes of the next row's value; nil after the last one.
    ///
    /// - Throws: ``ForeignDatabaseFailure``.
    public func next() throws -> [UInt8]? {
        if let failure { throw failure }
        do {
            return try fetch()
        } catch {
            failure = error
            throw error
        }
    }

    private func fetch() throws(ForeignDatabaseFailure) -> [UInt8]? {
        while !isAtEnd {
            if !isFetching { try sendFetch() }
            guard let result = PQgetResult(handle.pointer) else {
                isFetching = false
                isAtEnd = fetched < Self.rowsPerPage
                continue
            }
            defer { PQclear(result) }
            switch PQresultStatus(result) {
            case PGRES_SINGLE_TUPLE:
                fetched += 1
                guard let value = PQgetvalue(result, 0, 0) else { throw .lost }
                return Array(UnsafeRawBufferPointer(start: value, count: Int(PQgetlength(result, 0, 0))))
            // It follows the page's last row.
            case PGRES_TUPLES_OK: break
            default: throw ForeignDatabaseFailure(result)
            }
        }
        return nil
    }

    private func sendFetch() throws(ForeignDatabaseFailure) {
        guard PQsendQuery(handle.pointer, "FETCH FORWARD \(Self.rowsPerPage) FROM foreign_rows") == 1,
            PQsetSingleRowMode(handle.pointer) == 1
        else { throw .lost }
        (isFetching, fetched) = (true, 0)
    }
}

/// Why another program's database can't be read, or not to its end. It contains neither a password nor a row's values.
public struct ForeignDatabaseFailure: Error, Sendable, Hashable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        /// There is no connection: a wrong address, a closed port, no TLS, or another refusal before any password.
        case unreachable
        /// The database asks for a password, and there is none.
        case needsPassword
        /// The database was given a password and refuses the user, the password or the use of the database.
        case accessRefused
        /// A table is missing.
        case missingTable
        /// A column is missing, or has another type.
        case otherColumns
        /// The user may not read a table, or not all of its rows.
        case noRight
        /// The connection was lost in the middle.
        case connectionLost
        /// Anything else.
        case failed
    }

    public let code: Code
    public let message: String

    public var description: String { message }

    private init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    static let lost = ForeignDatabaseFailure(
        .connectionLost, "the connection to the database was lost before its last row: begin again")

    /// A connection that could not be made.
    init(unopened handle: borrowing PostgreSQLHandle) {
        if PQconnectionNeedsPassword(handle.pointer) == 1 {
            self.init(.needsPassword, "the database asks for a password: \(handle.reason)")
        } else if PQconnectionUsedPassword(handle.pointer) == 1 {
            self.init(.accessRefused, "the database refuses the user or the password: \(handle.reason)")
        } else {
            self.init(.unreachable, "the database can't be reached: \(handle.reason)")
        }
    }

    /// A statement that has failed.
    init(_ result: OpaquePointer?) {
        guard let result, let state = PostgreSQLFailure.code(of: result) else {
            self = .lost
            return
        }
        let reason = PostgreSQLFailure.message(of: result)
        switch state {
        case "42P01", "3F000":
            self.init(
                .missingTable, "a table is missing, so this is not the system's database, or not its schema: \(reason)")
        case "42703", "42804", "42846", "42883":
            self.init(.otherColumns, "its tables are of another version: \(reason)")
        case "42501": self.init(.noRight, "the user may not read every row: \(reason)")
        case _ where state.hasPrefix("57P") || state.hasPrefix("08"): self = .lost
        default: self.init(.failed, "the database refuses to be read: \(reason) (\(state))")
        }
    }
}

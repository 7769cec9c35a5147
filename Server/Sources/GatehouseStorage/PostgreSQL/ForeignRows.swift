import CLibPQ

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

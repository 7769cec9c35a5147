import CLibPQ

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

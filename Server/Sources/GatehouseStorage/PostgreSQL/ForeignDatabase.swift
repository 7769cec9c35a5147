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

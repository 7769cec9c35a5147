import GatehousePlatform

/// The location of a database. Its description contains no password.
public struct DatabaseLocation: Sendable, Hashable, CustomStringConvertible {
    enum Place: Sendable, Hashable {
        case sqlite(path: String)
        case postgresql(url: String)
    }

    let place: Place

    /// Parses `sqlite:FILE`, `sqlite::memory:` or `postgres://USER:PASSWORD@HOST:PORT/NAME`. A URL of PostgreSQL may name several
    /// addresses, in either of libpq's forms: `HOST:PORT,HOST:PORT` or `?host=HOST,HOST&port=PORT,PORT`.
    public init(_ text: String) throws(Invalid) {
        if text.hasPrefix("sqlite:") {
            var path = String(text.dropFirst("sqlite:".count))
            if path.hasPrefix("///") { path.removeFirst(2) }
            guard !path.isEmpty, !path.utf8.contains(0) else { throw Invalid() }
            place = .sqlite(path: path)
        } else if text.hasPrefix("postgres://") || text.hasPrefix("postgresql://") {
            guard URL(string: text)?.host != nil || !PostgreSQLAddresses(text).places.isEmpty else { throw Invalid() }
            place = .postgresql(url: text)
        } else {
            throw Invalid()
        }
    }

    /// The file of a SQLite database; nil for any other.
    public var filePath: String? {
        if case .sqlite(let path) = place, path != ":memory:" { path } else { nil }
    }

    /// A name for files that belong to this database: letters, digits, `.`, `_` and `-`.
    public var fileName: String {
        let name: String
        switch place {
        case .sqlite(let path): name = path
        case .postgresql(let url):
            if let parts = URL(string: url) {
                name = [parts.host, String(parts.port ?? 5_432), parts.path].compactMap(\.self).joined(separator: "-")
            } else {
                name = PostgreSQLAddresses(url).description.replacing(/[:,\/]/, with: "-")
            }
        }
        return String(name.filter { $0.isASCII && ($0.isLetter || $0.isNumber || "._-".contains($0)) })
    }

    public var description: String {
        switch place {
        case .sqlite(let path): return "sqlite:\(path)"
        case .postgresql(let url):
            return "postgres://\(PostgreSQLAddresses(url))"
        }
    }

    /// The text is not a valid location. It may contain a password, so the error does not repeat it.
    public struct Invalid: Error, CustomStringConvertible {
        public let description =
            "it must be sqlite:FILE, sqlite::memory: or postgres://USER:PASSWORD@HOST:PORT/NAME"
    }
}

/// The addresses that a URL of PostgreSQL names, as libpq reads them, and the database there.
struct PostgreSQLAddresses: CustomStringConvertible {
    /// Each is `HOST`, `HOST:PORT` or a socket's folder.
    let places: [String]
    private let database: String

    init(_ url: String) {
        let options = TransportSecurity.options(of: url) ?? [:]
        // If there are addresses, libpq connects to these.
        let hosts = Self.list(options["hostaddr"] ?? options["host"])
        let ports = Self.list(options["port"])
        places = hosts.enumerated().map { index, host in
            // One port counts for every host.
            let port = ports.count == 1 ? ports[0] : ports.indices.contains(index) ? ports[index] : ""
            return port.isEmpty ? host : "\(host.contains(":") ? "[\(host)]" : host):\(port)"
        }
        database = options["dbname"] ?? ""
    }

    /// Without user and password.
    var description: String { "\(places.joined(separator: ","))/\(database)" }

    private static func list(_ text: String?) -> [String] {
        text.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
    }

    /// The `target_session_attrs` for a URL; nil when the URL or the environment specifies it. Of several addresses only the primary
    /// is of use. By libpq's own default, `any`, it would take the first that answers, which may be a standby.
    static func standardTarget(for url: String, environment: [String: String]) -> String? {
        let isSaid =
            TransportSecurity.options(of: url)?["target_session_attrs"] != nil
            || environment["PGTARGETSESSIONATTRS"] != nil
        return !isSaid && PostgreSQLAddresses(url).places.count > 1 ? "read-write" : nil
    }
}

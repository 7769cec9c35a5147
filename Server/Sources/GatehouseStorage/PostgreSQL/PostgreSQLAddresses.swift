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

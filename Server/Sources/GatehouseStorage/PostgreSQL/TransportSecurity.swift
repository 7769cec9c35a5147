import CLibPQ
import Foundation

/// What libpq is told of TLS (NET-3). Its own default is `prefer`, which goes on in the clear when the other side, or whoever
/// stands between, says that it has no TLS.
enum TransportSecurity {
    /// The `sslmode` for a URL that does not say: `require` when the database is on another machine. Nil where libpq is left to
    /// itself: when the URL, the environment or a service file says how, and on this machine.
    static func standardMode(for url: String, environment: [String: String]) -> String? {
        guard let options = options(of: url) else { return nil }
        let isSaid =
            options["sslmode"] != nil || options["service"] != nil || environment["PGSSLMODE"] != nil
            || environment["PGSERVICE"] != nil
        // libpq connects to the address where there is one, and shows the name to nobody but the certificate's check.
        let places = options["hostaddr"] ?? options["host"] ?? environment["PGHOSTADDR"] ?? environment["PGHOST"] ?? ""
        let isElsewhere = places.split(separator: ",").contains { !isThisMachine($0) }
        return !isSaid && isElsewhere ? "require" : nil
    }

    /// A socket's folder, an abstract socket, or a name or address of this machine.
    private static func isThisMachine(_ place: Substring) -> Bool {
        place.hasPrefix("/") || place.hasPrefix("@") || place == "localhost" || place == "::1"
            || isLoopback(String(place))
    }

    private static func isLoopback(_ text: String) -> Bool {
        var address = in_addr()
        return inet_pton(AF_INET, text, &address) == 1 && withUnsafeBytes(of: &address) { $0[0] == 127 }
    }

    /// What the URL says, as libpq itself reads it; nil when it can't be read.
    static func options(of url: String) -> [String: String]? {
        guard let parsed = PQconninfoParse(url, nil) else { return nil }
        defer { PQconninfoFree(parsed) }
        var options: [String: String] = [:]
        var option = parsed
        while let keyword = option.pointee.keyword {
            if let value = option.pointee.val { options[String(cString: keyword)] = String(cString: value) }
            option += 1
        }
        return options
    }
}

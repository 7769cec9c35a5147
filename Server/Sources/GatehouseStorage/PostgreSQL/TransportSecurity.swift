import CLibPQ
import GatehousePlatform

/// libpq's TLS settings (NET-3). libpq's own default is `prefer`, which continues unencrypted when the other side, or an attacker in
/// between, claims to have no TLS.
enum TransportSecurity {
    /// The `sslmode` for a URL that does not specify it: `require` when the database is on another machine. Nil if libpq's own setting
    /// applies: when the URL, the environment or a service file specifies it, and on this machine.
    static func standardMode(for url: String, environment: [String: String]) -> String? {
        guard let options = options(of: url) else { return nil }
        let isSaid =
            options["sslmode"] != nil || options["service"] != nil || environment["PGSSLMODE"] != nil
            || environment["PGSERVICE"] != nil
        // If there is an address, libpq connects to it, and uses the name only to check the certificate.
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

    /// The URL's parameters, as parsed by libpq itself; nil when it can't be parsed.
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

import GatehousePlatform
import GatehouseProviders

/// Where a browser goes on from the server to the game.
enum RedirectTarget {
    /// Accepts a loopback address, and what the operator has registered.
    ///
    /// - Parameter scheme: the game's URL scheme for logins at this provider, if the operator has set one.
    static func isAllowed(_ text: String, in app: App, scheme: String? = nil) -> Bool {
        guard (1...1_024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URLComponents(string: text), url.fragment == nil, url.user == nil, url.password == nil
        else { return false }
        return isLoopback(url) || (app.policy.redirects ?? []).contains(text)
            || scheme.map { text == "\($0)://login" } ?? false
    }

    /// Accepts loopback addresses only as numbers (RFC 8252 section 7.3), because a name could resolve to another address.
    private static func isLoopback(_ url: URLComponents) -> Bool {
        url.scheme == "http" && ["127.0.0.1", "[::1]", "::1"].contains(url.host ?? "") && url.port != nil
    }

    static func adding(_ name: String, _ value: String, to target: String) -> String {
        "\(target)\(target.has("?") ? "&" : "?")\(name)=\(Form.encode(value))"
    }
}

import GatehousePlatform

/// The address of a game that an operator registers, so that browsers may be redirected to it.
package enum RegisteredRedirect {
    /// Accepts a URL scheme of the game or an https link, but nothing that a browser would execute.
    package static func isAllowed(_ text: String) -> Bool {
        guard (1...1_024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), url.fragment == nil,
            url.user == nil
        else { return false }
        if scheme == "https" { return url.host?.isEmpty == false }
        return !["http", "javascript", "data", "file", "vbscript", "about", "blob", "ws", "wss", "ftp"].contains(scheme)
    }
}

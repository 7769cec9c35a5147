import Foundation

/// Where a browser may be redirected from the server to the game.
package enum RedirectTarget {
    /// What an operator may register: a URL scheme of the game or an https link, but nothing that a browser would execute.
    package static func canBeNamed(_ text: String) -> Bool {
        guard (1...1_024).contains(text.utf8.count), text.utf8.allSatisfy({ (0x21...0x7e).contains($0) }),
            let url = URLComponents(string: text), let scheme = url.scheme?.lowercased(), url.fragment == nil,
            url.user == nil
        else { return false }
        if scheme == "https" { return url.host?.isEmpty == false }
        return !["http", "javascript", "data", "file", "vbscript", "about", "blob", "ws", "wss", "ftp"].contains(scheme)
    }
}

import GatehousePlatform

/// The server that takes e-mails for others, as the setting `mail-server` names it.
public struct MailServer: Sendable, Hashable {
    public var host: String
    public var port: Int
    /// Whether the connection begins with TLS. Otherwise the client asks for it before anything else (STARTTLS).
    public var beginsWithTLS: Bool
    public var user: String?
    public var password: String?
    /// The address from which the e-mails come.
    public var sender: String

    /// - Parameters:
    ///   - url: `smtps://USER:PASSWORD@HOST:PORT`, or `smtp://` for STARTTLS. Without a port it is 465, or 587.
    ///   - sender: the address from which the e-mails come.
    /// - Returns: nil for what is none.
    public init?(_ url: String, sender: String) {
        guard let parts = URLComponents(string: url), let host = parts.host, !host.isEmpty,
            parts.scheme == "smtps" || parts.scheme == "smtp", parts.path.isEmpty || parts.path == "/",
            parts.query == nil, parts.fragment == nil, (parts.user == nil) == (parts.password == nil),
            (1...65_535).contains(parts.port ?? 25), Self.isAddress(sender)
        else { return nil }
        self.host = host
        beginsWithTLS = parts.scheme == "smtps"
        port = parts.port ?? (beginsWithTLS ? 465 : 587)
        user = parts.user
        password = parts.password
        self.sender = sender
    }

    /// Whether a text can stand between the brackets of a command: it has no sign that would end it.
    static func isAddress(_ text: String) -> Bool {
        let parts = text.parts(at: "@", withEmpty: true)
        return text.utf8.count <= 254 && parts.count == 2 && parts.allSatisfy { !$0.isEmpty }
            && text.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "<") && $0 != UInt8(ascii: ">") }
    }
}

public import GatehousePlatform

/// A request from the server to an identity provider.
public struct OutgoingRequest: Sendable, Hashable {
    public var method: String
    public var url: String
    public var headers: [String: String]
    public var body: Data?
    /// Authorities, as PEM, that are trusted for this connection besides the system's.
    public var trustedCertificates: [String] = []

    public init(method: String, url: String, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// The maximum size of a response; no valid one is larger.
    public static let maximumBytes = 262_144
    /// How long a whole response may take, unless a setting says otherwise.
    public static let standardSeconds: Int64 = 5

    /// Accepts https, and http to this machine by `localhost` or a loopback address, for development. Whether a server permits those is a
    /// separate setting.
    package static func isAllowed(_ text: String) -> Bool { parts(text)?.scheme == "https" || isLocal(text) }

    package static func isLocal(_ text: String) -> Bool {
        guard let url = parts(text), url.scheme == "http", let host = url.host else { return false }
        return ["127.0.0.1", "[::1]", "::1", "localhost"].contains(host)
    }

    private static func parts(_ text: String) -> URLComponents? {
        guard let url = URLComponents(string: text), url.user == nil, url.password == nil, url.fragment == nil,
            let host = url.host, !host.isEmpty, ASCII.isAll(host)
        else { return nil }
        return url
    }
}

public import Foundation

/// One request of the server to an identity provider.
public struct OutgoingRequest: Sendable, Hashable {
    public var method: String
    public var url: String
    public var headers: [String: String]
    public var body: Data?

    public init(method: String, url: String, headers: [String: String] = [:], body: Data? = nil) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
    }

    /// No answer that is of use is larger.
    public static let maximumBytes = 262_144
    public static let timeoutSeconds: Int64 = 5

    /// https, or http to this machine's own loopback addresses, by their numbers: for development. Whether a server goes there
    /// is its own setting.
    static func isAllowed(_ text: String) -> Bool { parts(text)?.scheme == "https" || isLocal(text) }

    static func isLocal(_ text: String) -> Bool {
        guard let url = parts(text), url.scheme == "http", let host = url.host else { return false }
        return ["127.0.0.1", "[::1]", "::1"].contains(host)
    }

    private static func parts(_ text: String) -> URLComponents? {
        guard let url = URLComponents(string: text), url.user == nil, url.password == nil, url.fragment == nil,
            let host = url.host, !host.isEmpty
        else { return nil }
        return url
    }
}

public struct OutgoingResponse: Sendable, Hashable {
    public var status: Int
    public var body: Data

    public init(status: Int, body: Data) {
        self.status = status
        self.body = body
    }
}

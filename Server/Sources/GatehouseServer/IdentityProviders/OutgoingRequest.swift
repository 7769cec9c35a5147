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

    /// https, or http to this machine's own loopback addresses, by their numbers: for development.
    static func isAllowed(_ text: String) -> Bool {
        guard let url = URLComponents(string: text), url.user == nil, url.password == nil, url.fragment == nil,
            let host = url.host, !host.isEmpty
        else { return false }
        return url.scheme == "https" || url.scheme == "http" && ["127.0.0.1", "[::1]", "::1"].contains(host)
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

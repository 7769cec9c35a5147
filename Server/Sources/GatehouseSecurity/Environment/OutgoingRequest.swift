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

public struct OutgoingResponse: Sendable, Hashable {
    public var status: Int
    public var body: Data
    /// The target of a redirect, which is never followed.
    public var location: String?
    /// The time of the answer by the provider's clock, as its header has it.
    public var date: String?

    public init(status: Int, body: Data, location: String? = nil, date: String? = nil) {
        self.status = status
        self.body = body
        self.location = location
        self.date = date
    }
}

/// Why a request got no response.
public enum OutgoingFailure: Error, Sendable, Hashable {
    /// There is no connection: nobody listens, or the name is unknown.
    case notConnected
    /// The certificate of the connection is not trusted.
    case notTrusted
    /// The name resolves to an address that the server must not contact.
    case privateAddress
    /// The whole response took longer than it may.
    case timedOut(seconds: Int64)
    case tooLarge

    /// A description for operators.
    package var words: String {
        switch self {
        case .notConnected: "there is no connection to it"
        case .notTrusted: "its certificate leads to no authority that is trusted, or TLS fails otherwise"
        case .privateAddress: "its name leads to an address that is not the internet's"
        case .timedOut(let seconds): "its answer takes more than \(seconds) seconds"
        case .tooLarge: "its answer has more than \(OutgoingRequest.maximumBytes) bytes"
        }
    }
}

/// An e-mail of the server to one person, as plain text.
public struct OutgoingMail: Sendable, Hashable {
    public var recipient: String
    public var subject: String
    public var text: String
    /// The part of its id before the sign. A second attempt has the same, so that a reader's program can tell that it is the same mail.
    public var id: String
    public var date: Moment

    public init(recipient: String, subject: String, text: String, id: String, date: Moment) {
        self.recipient = recipient
        self.subject = subject
        self.text = text
        self.id = id
        self.date = date
    }
}

/// A mail server has answered with an error.
public struct MailRefusal: Error, Sendable, Hashable {
    /// The reply's code (RFC 5321), from 400 to 599.
    public let code: Int

    public init(code: Int) {
        self.code = code
    }
}

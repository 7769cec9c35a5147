/// The HTTP methods that the contract uses.
public enum HTTPVerb: String, Sendable, Hashable, CaseIterable {
    /// Reads.
    case get = "GET"
    /// Changes something, or reads with parameters that must not be in a URL.
    case post = "POST"
}

/// How a device must authenticate itself.
public enum EndpointAccess: String, Sendable, Hashable, CaseIterable {
    /// No authentication.
    case open
    /// A proof by the device's key (`DPoP` header, RFC 9449), without a token.
    case deviceKey
    /// `Authorization: DPoP <refresh token>`, and a proof whose `ath` covers it.
    case refreshToken
    /// `Authorization: DPoP <access token>`, and a proof whose `ath` covers it.
    case accessToken
}

/// One call of the HTTP API by a device. The server's routes and the SDK's requests come from this one definition.
public struct Endpoint<Request: Codable & Sendable, Response: Codable & Sendable>: Sendable {
    /// The HTTP method.
    public let verb: HTTPVerb
    /// The path, with `{appId}` as the placeholder of the app's id.
    public let template: String
    /// How a caller must authenticate itself.
    public let access: EndpointAccess
    /// Whether a call changes something. If so it takes an `Idempotency-Key`.
    public let changes: Bool

    init(_ verb: HTTPVerb, _ template: String, _ access: EndpointAccess, changes: Bool = false) {
        self.verb = verb
        self.template = template
        self.access = access
        self.changes = changes
    }

    /// The path for one app. The id is escaped: an id that holds `../` stays one segment.
    public func path(app: AppID) -> String {
        Endpoints.path(template, app: app)
    }
}

/// An endpoint without its types, for listings.
public struct EndpointSummary: Sendable, Hashable {
    /// The HTTP method.
    public let verb: HTTPVerb
    /// The path, with `{appId}` as the placeholder of the app's id.
    public let template: String
    /// How a caller must authenticate itself.
    public let access: EndpointAccess
    /// Whether a call changes something. If so it takes an `Idempotency-Key`.
    public let changes: Bool

    /// Summarizes an endpoint.
    public init<Request, Response>(_ endpoint: Endpoint<Request, Response>) {
        verb = endpoint.verb
        template = endpoint.template
        access = endpoint.access
        changes = endpoint.changes
    }
}

/// A request or a response without a body.
public struct Empty: Codable, Sendable, Hashable {
    /// Makes an empty body.
    public init() {}
}

/// Headers that the contract defines beside the standard ones.
public enum HeaderNames {
    /// The proof of possession (RFC 9449).
    public static let proof = "DPoP"
    /// The key under which a changing call takes effect only once: 8 to 128 visible ASCII characters.
    public static let idempotencyKey = "Idempotency-Key"
    /// The id of the call in the server's log, with every answer.
    public static let transactionID = "X-TCGB-Transaction-Id"
    /// Information about the device: a ``ClientInformation``.
    public static let client = "Gatehouse-Client"
    /// Where the device's private key is: a ``KeyProtection``, with a login and with a renewal.
    public static let keyProtection = "Gatehouse-Key-Protection"
    /// The scheme of `Authorization` (RFC 9449 section 7.1).
    public static let authorizationScheme = "DPoP"
}

public import GatehouseWire

/// One call of a game server. The server's routes and a game server's requests come from this one definition. All are POST.
public struct GameServerEndpoint<Request: Codable & Sendable, Response: Codable & Sendable>: Sendable {
    /// The path, with `{appId}` as the placeholder of the app's id.
    public let template: String
    /// The scope that the secret key must have.
    public let scope: SecretKeyScope
    /// Whether a call changes something. If so it takes an `Idempotency-Key`.
    public let changes: Bool
    /// The HTTP method.
    public var verb: HTTPVerb { .post }

    init(_ template: String, _ scope: SecretKeyScope, changes: Bool = false) {
        self.template = template
        self.scope = scope
        self.changes = changes
    }

    /// The path for one app. The id is escaped: an id that holds `../` stays one segment.
    public func path(app: AppID) -> String { Endpoints.path(template, app: app) }
}

/// An endpoint of either kind, without its types: for routing, and for listings such as the OpenAPI test's.
public struct AnyEndpoint: Sendable, Hashable {
    /// How a caller must authenticate itself.
    public enum Access: Sendable, Hashable {
        /// As a device.
        case device(EndpointAccess)
        /// As a game server, with a secret key of this scope.
        case secretKey(SecretKeyScope)
    }

    /// The HTTP method.
    public let verb: HTTPVerb
    /// The path, with `{appId}` as the placeholder of the app's id.
    public let template: String
    /// How a caller must authenticate itself.
    public let access: Access
    /// Whether a call changes something. If so it takes an `Idempotency-Key`.
    public let changes: Bool

    /// The scope that the secret key of a game server must have; nil for a device's call.
    public var scope: SecretKeyScope? {
        if case .secretKey(let scope) = access { scope } else { nil }
    }

    /// An endpoint for devices.
    public init<Request, Response>(_ endpoint: Endpoint<Request, Response>) {
        self.init(EndpointSummary(endpoint))
    }

    /// An endpoint for game servers.
    public init<Request, Response>(_ endpoint: GameServerEndpoint<Request, Response>) {
        verb = endpoint.verb
        template = endpoint.template
        access = .secretKey(endpoint.scope)
        changes = endpoint.changes
    }

    init(_ endpoint: EndpointSummary) {
        verb = endpoint.verb
        template = endpoint.template
        access = .device(endpoint.access)
        changes = endpoint.changes
    }
}

/// Every call of devices: `Endpoints.logIn` is ``logIn``.
public struct DeviceEndpoints: Sendable {
    /// Tells whether the game is in service, and which identity providers it offers.
    public let launching = Endpoint<Empty, LaunchingInformation>(.get, "/v1/apps/{appId}/launching", .open)
    /// The public keys of the app's access tokens.
    public let keys = Endpoint<Empty, KeySet>(.get, "/v1/apps/{appId}/jwks.json", .open)

    /// Logs in with a credential. The first login of an identity creates a member.
    public let logIn = Endpoint<Credential, Login>(
        .post, "/v1/apps/{appId}/login", .deviceKey, changes: true)
    /// Logs in with a stored session.
    public let logInWithLastProvider = Endpoint<Empty, Login>(
        .post, "/v1/apps/{appId}/login/last", .refreshToken, changes: true)
    /// Begins a login with a browser.
    public let beginLogin = Endpoint<LoginAttemptRequest, LoginAttempt>(
        .post, "/v1/apps/{appId}/login/browser", .deviceKey, changes: true)
    /// Logs in as the player of another system, with what that system has left on the device.
    public let migrate = Endpoint<MigrationRequest, Login>(
        .post, "/v1/apps/{appId}/login/migrate", .deviceKey, changes: true)
    /// Gives the device a ticket, with which the game's own server can bring it a player of another system.
    public let migrationTicket = Endpoint<Empty, MigrationTicket>(
        .post, "/v1/apps/{appId}/login/migrate/ticket", .deviceKey)
    /// Logs in as the other member of a ticket, with the ticket's identity, and ends the current session.
    public let changeLogin = Endpoint<TicketUse, Login>(
        .post, "/v1/apps/{appId}/login/change", .accessToken, changes: true)

    /// Issues a new access token for a session.
    public let refreshSession = Endpoint<Empty, SessionRenewal>(
        .post, "/v1/apps/{appId}/session/refresh", .refreshToken, changes: true)
    /// Ends a session.
    public let logOut = Endpoint<Empty, Empty>(
        .post, "/v1/apps/{appId}/session/logout", .refreshToken, changes: true)
    /// The sessions of the member that go on: the devices that are logged in.
    public let sessions = Endpoint<Empty, DeviceSessions>(.get, "/v1/apps/{appId}/sessions", .accessToken)
    /// Ends another session of the member.
    public let endSession = Endpoint<SessionEndRequest, Empty>(
        .post, "/v1/apps/{appId}/sessions/end", .accessToken, changes: true)
    /// Ends all sessions of the member but the caller's own.
    public let endOtherSessions = Endpoint<Empty, Empty>(
        .post, "/v1/apps/{appId}/sessions/end-others", .accessToken, changes: true)
    /// Tells the server that the player is online, and fetches the player's standing.
    public let heartbeat = Endpoint<Empty, Heartbeat>(.post, "/v1/apps/{appId}/heartbeat", .accessToken)

    /// The member who is signed in.
    public let member = Endpoint<Empty, Member>(.get, "/v1/apps/{appId}/member", .accessToken)
    /// What the provider reported at this login, for the player's own device.
    public let ownProfile = Endpoint<OwnProfileRequest, ProviderProfile>(
        .post, "/v1/apps/{appId}/member/profile", .accessToken)

    /// Maps an identity to the member.
    public let addMapping = Endpoint<Credential, MappingChange>(
        .post, "/v1/apps/{appId}/mappings/add", .accessToken, changes: true)
    /// Moves the identity of a ticket to the member.
    public let forceMapping = Endpoint<TicketUse, MappingChange>(
        .post, "/v1/apps/{appId}/mappings/force", .accessToken, changes: true)
    /// Removes an identity from the member.
    public let removeMapping = Endpoint<MappingRemoval, MappingChange>(
        .post, "/v1/apps/{appId}/mappings/remove", .accessToken, changes: true)

    /// Issues a transfer account for the guest.
    public let issueTransferAccount = Endpoint<Empty, TransferAccount>(
        .post, "/v1/apps/{appId}/transfer-account/issue", .accessToken, changes: true)
    /// The guest's transfer account, without its password.
    public let queryTransferAccount = Endpoint<Empty, TransferAccount>(
        .get, "/v1/apps/{appId}/transfer-account", .accessToken)
    /// Renews the guest's transfer account.
    public let renewTransferAccount = Endpoint<TransferRenewal, TransferAccount>(
        .post, "/v1/apps/{appId}/transfer-account/renew", .accessToken, changes: true)
    /// Moves the guest of a transfer account to this device, and logs it in.
    public let redeemTransferAccount = Endpoint<TransferRedemption, Login>(
        .post, "/v1/apps/{appId}/transfer-account/redeem", .deviceKey, changes: true)
    /// Issues a transfer key for the guest.
    public let issueTransferKey = Endpoint<TransferKeyRequest, TransferKey>(
        .post, "/v1/apps/{appId}/transfer-key/issue", .accessToken, changes: true)
    /// Moves the guest of a transfer key to this device, and logs it in.
    public let redeemTransferKey = Endpoint<TransferKeyRedemption, Login>(
        .post, "/v1/apps/{appId}/transfer-key/redeem", .deviceKey, changes: true)

    /// Withdraws the member at once.
    public let withdraw = Endpoint<Empty, Empty>(
        .post, "/v1/apps/{appId}/withdrawal/now", .accessToken, changes: true)
    /// Begins the grace period of a withdrawal.
    public let requestWithdrawal = Endpoint<Empty, MemberChange>(
        .post, "/v1/apps/{appId}/withdrawal/request", .accessToken, changes: true)
    /// Ends the grace period of a withdrawal, and the member stays.
    public let cancelWithdrawal = Endpoint<Empty, MemberChange>(
        .post, "/v1/apps/{appId}/withdrawal/cancel", .accessToken, changes: true)

    static let defined = DeviceEndpoints()
}

/// The paths of the HTTP API. Each call is defined once, as a property of ``DeviceEndpoints``.
@dynamicMemberLookup
public enum Endpoints {
    /// A device's endpoint by its name in ``DeviceEndpoints``.
    public static subscript<Request, Response>(
        dynamicMember path: KeyPath<DeviceEndpoints, Endpoint<Request, Response>>
    ) -> Endpoint<Request, Response> { DeviceEndpoints.defined[keyPath: path] }

    /// Every endpoint for devices, in the order of their definitions.
    public static let all: [EndpointSummary] = Mirror(reflecting: DeviceEndpoints.defined).children.compactMap {
        ($0.value as? any SummarizedEndpoint)?.summary
    }

    /// Where an identity provider redirects a player's browser. `{idp}` is the placeholder of its name.
    public static let callback = "/v1/apps/{appId}/callback/{idp}"
    /// Where an identity provider reports what a person has done there.
    public static let signal = "/v1/apps/{appId}/signals/{idp}"
    /// The page that a browser shows after its login has ended and the game has the result.
    public static let loginPage = "/login/finished"

    /// The path of ``callback`` or ``signal`` for one provider of an app.
    public static func path(_ template: String, of provider: Provider, app: AppID) -> String {
        path(template, app: app).replacing("{idp}", with: PathSegment.escape(provider.rawValue))
    }

    /// A template's path for one app. The id is escaped: an id that holds `../` stays one segment.
    public static func path(_ template: String, app: AppID) -> String {
        template.replacing("{appId}", with: PathSegment.escape(app.rawValue))
    }
}

/// Lets the list of all endpoints be read from the definitions, so that none can be left out.
private protocol SummarizedEndpoint {
    var summary: EndpointSummary { get }
}

extension Endpoint: SummarizedEndpoint {
    fileprivate var summary: EndpointSummary { EndpointSummary(self) }
}

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

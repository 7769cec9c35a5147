public import GatehouseWire

/// Every call of game servers: `Endpoints.ban` is ``ban``.
///
/// A call is refused with ``GatehouseWire/ErrorCode/userPermission`` (5) when the secret key is wrong or lacks the scope, with
/// ``GatehouseWire/ErrorCode/launchingUnregisteredApp`` (2003) for an unknown app, with
/// ``GatehouseWire/ErrorCode/invalidParameter`` (3) and ``GatehouseWire/ErrorCode/invalidJSONFormat`` (4) for a wrong body, and with
/// ``GatehouseWire/ErrorCode/serverInternalError`` (8001) when it may be repeated later. Further codes are named with each endpoint.
public struct GameServerEndpoints: Sendable {
    /// Tells whose access token this is, from the database as it is now. Nothing changes on the server.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/authInvalidGatehouseToken`` (3011) for a token that is not valid now.
    public let checkToken = GameServerEndpoint<TokenCheckRequest, TokenCheck>(
        "/v1/server/apps/{appId}/tokens/check", .check)
    /// Lists the access tokens that were revoked before they expired. Nothing changes on the server.
    public let revocations = GameServerEndpoint<RevocationsRequest, SignedRevocations>(
        "/v1/server/apps/{appId}/revocations", .check)
    /// Tells what a member's identity provider has reported. Nothing changes on the server but its audit log.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/authNotExistMember`` (3003) for an unknown member, and with
    /// ``GatehouseWire/ErrorCode/authIDPLoginInvalidIDPInfo`` (3202) when nothing is stored.
    public let providerProfile = GameServerEndpoint<ProviderProfileRequest, ProviderProfile>(
        "/v1/server/apps/{appId}/members/profile", .profile)
    /// Lists the sessions of a member that go on, up to a hundred at a time. Nothing changes on the server.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/authNotExistMember`` (3003) for an unknown member.
    public let memberSessions = GameServerEndpoint<MemberSessionsRequest, MemberSessions>(
        "/v1/server/apps/{appId}/members/sessions", .profile)

    /// Bans members and ends their sessions on every node.
    public let ban = GameServerEndpoint<BanRequest, MembersOutcome>(
        "/v1/server/apps/{appId}/bans", .moderate, changes: true)
    /// Releases members from their bans. Sessions that the ban has ended stay ended.
    public let releaseBan = GameServerEndpoint<BanReleaseRequest, MembersOutcome>(
        "/v1/server/apps/{appId}/bans/release", .moderate, changes: true)
    /// Ends the sessions of one member, or of everyone. Their devices are told with their next call.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/authNotExistMember`` (3003) for an unknown member.
    public let kickOut = GameServerEndpoint<KickOutRequest, Empty>(
        "/v1/server/apps/{appId}/kick-out", .moderate, changes: true)
    /// Ends one session of a member; ``kickOut`` ends all. Its device is told with its next call.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/authNotExistMember`` (3003) for an unknown member, and with
    /// ``GatehouseWire/ErrorCode/invalidParameter`` (3) and the reason `session_unknown` for a session that is not the member's or has
    /// ended.
    public let endMemberSession = GameServerEndpoint<MemberSessionEndRequest, Empty>(
        "/v1/server/apps/{appId}/members/sessions/end", .moderate, changes: true)

    /// Brings a player of another system to a device, whose next login as a guest gets this player.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/invalidParameter`` (3) for a ticket that is not good, or for a source that does not take a
    /// game server's word, with ``GatehouseWire/ErrorCode/authIDPLoginFailed`` (3201) and a reason such as `legacy_claimed`,
    /// `legacy_guest_exists` or `legacy_provider_required`, with ``GatehouseWire/ErrorCode/invalidMember`` (6) for a player who has
    /// withdrawn, and with ``GatehouseWire/ErrorCode/bannedMember`` (7) for a banned one.
    public let confirmMigration = GameServerEndpoint<MigrationConfirmation, ConfirmedMigration>(
        "/v1/server/apps/{appId}/migrations/confirm", .migrate, changes: true)
    /// Tells which members have come from another system. Nothing changes on the server.
    public let lookUpMigrations = GameServerEndpoint<MigrationLookupRequest, MigrationLookup>(
        "/v1/server/apps/{appId}/migrations/lookup", .profile)

    /// Begins a grace ban: the member plays on until the deadline, and is then banned permanently unless it has paid.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/authNotExistMember`` (3003) for an unknown member,
    /// ``GatehouseWire/ErrorCode/bannedMember`` (7) for a banned one, and ``GatehouseWire/ErrorCode/invalidParameter`` (3) for one
    /// that has a grace ban.
    public let registerGraceBan = GameServerEndpoint<GraceBanRequest, GraceBan>(
        "/v1/server/apps/{appId}/grace-bans", .moderate, changes: true)
    /// Ends a grace ban, whether or not its condition is met.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/authNotExistMember`` (3003) for an unknown member, and with
    /// ``GatehouseWire/ErrorCode/invalidParameter`` (3) for one without a grace ban.
    public let releaseGraceBan = GameServerEndpoint<GraceBanReleaseRequest, Empty>(
        "/v1/server/apps/{appId}/grace-bans/release", .moderate, changes: true)
    /// Counts a payment towards the member's grace ban, each payment id once.
    ///
    /// Refused with ``GatehouseWire/ErrorCode/authNotExistMember`` (3003) for an unknown member.
    public let reportPayment = GameServerEndpoint<PaymentReport, PaymentOutcome>(
        "/v1/server/apps/{appId}/payments", .moderate, changes: true)

    static let defined = GameServerEndpoints()

    /// Every endpoint for game servers, in the order of their definitions.
    public static let all: [AnyEndpoint] = Mirror(reflecting: defined).children.compactMap { child in
        (child.value as? any ErasableEndpoint)?.erased
    }
}

/// Lets the list of all endpoints be read from the definitions, so that none can be left out.
private protocol ErasableEndpoint {
    var erased: AnyEndpoint { get }
}

extension GameServerEndpoint: ErasableEndpoint {
    fileprivate var erased: AnyEndpoint { AnyEndpoint(self) }
}

extension Endpoints {
    /// A game server's endpoint by its name in ``GameServerEndpoints``.
    public static subscript<Request, Response>(
        dynamicMember path: KeyPath<GameServerEndpoints, GameServerEndpoint<Request, Response>>
    ) -> GameServerEndpoint<Request, Response> { GameServerEndpoints.defined[keyPath: path] }
}

extension AnyEndpoint {
    /// Every endpoint of the HTTP API: those for devices, and those for game servers.
    public static let all: [AnyEndpoint] = Endpoints.all.map { AnyEndpoint($0) } + GameServerEndpoints.all
}

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

/// A game server's credential: `gsk_` and 32 random bytes in base64url. A game's client must never have it.
public struct SecretKey: WireSecret {
    /// The key itself: for the header ``GatehouseWire/HeaderNames/secretKey`` and for hashing, never for a log.
    public let secretValue: String
    /// Wraps the text of a secret key.
    public init(_ secretValue: String) { self.secretValue = secretValue }
}

/// What a game server may do with a secret key. A key has one or more scopes; an app's own keys have all.
public enum SecretKeyScope: String, Codable, Sendable, Hashable, CaseIterable {
    /// Check access tokens and transfer accounts, fetch which tokens have ended, and read whether the game is in service.
    case check
    /// Ban, release and kick out members, register grace bans, report payments, and read the histories of bans.
    case moderate
    /// Withdraw members, and read the history of withdrawals.
    case erase
    /// Read members: their mappings, devices and dates, and what their identity providers have reported.
    case profile
    /// Bring players of another system to devices, without their credentials there.
    case migrate
}

extension HeaderNames {
    /// The header with a game server's ``SecretKey``.
    public static let secretKey = "X-Secret-Key"
}

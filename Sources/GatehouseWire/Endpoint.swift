/// The HTTP methods that the contract uses.
public enum HTTPVerb: String, Sendable, Hashable, CaseIterable {
    case get = "GET"
    case post = "POST"
}

/// How a caller must authenticate itself.
public enum EndpointAccess: String, Sendable, Hashable, CaseIterable {
    /// No authentication.
    case open
    /// A proof by the device's key (`DPoP` header, RFC 9449), without a token.
    case deviceKey
    /// `Authorization: DPoP <refresh token>`, and a proof whose `ath` covers it.
    case refreshToken
    /// `Authorization: DPoP <access token>`, and a proof whose `ath` covers it.
    case accessToken
    /// The game server's `X-Secret-Key`.
    case secretKey
}

/// One call of the HTTP API. The server's routes and the SDK's requests come from this one definition.
public struct Endpoint<Request: Codable & Sendable, Response: Codable & Sendable>: Sendable {
    public let verb: HTTPVerb
    /// The path, with `{appId}` as the placeholder of the app's id.
    public let template: String
    public let access: EndpointAccess
    /// Whether a call changes something. If so it takes an `Idempotency-Key`.
    public let changes: Bool
    /// The scope that a game server's key must have; nil for calls without a secret key.
    public let scope: SecretKeyScope?

    init(_ verb: HTTPVerb, _ template: String, _ access: EndpointAccess, changes: Bool = false) {
        self.verb = verb
        self.template = template
        self.access = access
        self.changes = changes
        scope = nil
    }

    /// A game server's call, with the scope that its secret key must have.
    init(_ verb: HTTPVerb, _ template: String, _ scope: SecretKeyScope, changes: Bool = false) {
        self.verb = verb
        self.template = template
        access = .secretKey
        self.changes = changes
        self.scope = scope
    }

    /// The path for one app. The id is escaped: an id that holds `../` stays one segment.
    public func path(app: AppID) -> String {
        template.replacing("{appId}", with: PathSegment.escape(app.rawValue))
    }
}

/// An endpoint without its types, for listings such as the OpenAPI test's.
public struct EndpointSummary: Sendable, Hashable {
    public let verb: HTTPVerb
    public let template: String
    public let access: EndpointAccess
    public let changes: Bool
    public let scope: SecretKeyScope?

    public init<Request, Response>(_ endpoint: Endpoint<Request, Response>) {
        verb = endpoint.verb
        template = endpoint.template
        access = endpoint.access
        changes = endpoint.changes
        scope = endpoint.scope
    }
}

/// A request or a response without a body.
public struct Empty: Codable, Sendable, Hashable {
    public init() {}
}

/// Every path of the HTTP API.
public enum Endpoints {
    public static let launching = Endpoint<Empty, LaunchingInformation>(.get, "/v1/apps/{appId}/launching", .open)
    public static let keys = Endpoint<Empty, KeySet>(.get, "/v1/apps/{appId}/jwks.json", .open)
    public static let logIn = Endpoint<Credential, Login>(
        .post, "/v1/apps/{appId}/login", .deviceKey, changes: true)
    public static let logInWithLastProvider = Endpoint<Empty, Login>(
        .post, "/v1/apps/{appId}/login/last", .refreshToken, changes: true)
    public static let beginLogin = Endpoint<LoginAttemptRequest, LoginAttempt>(
        .post, "/v1/apps/{appId}/login/browser", .deviceKey, changes: true)
    public static let refreshSession = Endpoint<Empty, SessionRenewal>(
        .post, "/v1/apps/{appId}/session/refresh", .refreshToken, changes: true)
    public static let logOut = Endpoint<Empty, Empty>(
        .post, "/v1/apps/{appId}/session/logout", .refreshToken, changes: true)
    public static let heartbeat = Endpoint<Empty, Heartbeat>(.post, "/v1/apps/{appId}/heartbeat", .accessToken)
    public static let member = Endpoint<Empty, Member>(.get, "/v1/apps/{appId}/member", .accessToken)
    public static let checkToken = Endpoint<TokenCheckRequest, TokenCheck>(
        .post, "/v1/server/apps/{appId}/tokens/check", .check)
    /// What the provider reported at this login, for the player's own device.
    public static let ownProfile = Endpoint<OwnProfileRequest, ProviderProfile>(
        .post, "/v1/apps/{appId}/member/profile", .accessToken)

    public static let addMapping = Endpoint<Credential, MappingChange>(
        .post, "/v1/apps/{appId}/mappings/add", .accessToken, changes: true)
    public static let forceMapping = Endpoint<TicketUse, MappingChange>(
        .post, "/v1/apps/{appId}/mappings/force", .accessToken, changes: true)
    public static let removeMapping = Endpoint<MappingRemoval, MappingChange>(
        .post, "/v1/apps/{appId}/mappings/remove", .accessToken, changes: true)
    public static let changeLogin = Endpoint<TicketUse, Login>(
        .post, "/v1/apps/{appId}/login/change", .accessToken, changes: true)

    public static let issueTransferAccount = Endpoint<Empty, TransferAccount>(
        .post, "/v1/apps/{appId}/transfer-account/issue", .accessToken, changes: true)
    public static let queryTransferAccount = Endpoint<Empty, TransferAccount>(
        .get, "/v1/apps/{appId}/transfer-account", .accessToken)
    public static let renewTransferAccount = Endpoint<TransferRenewal, TransferAccount>(
        .post, "/v1/apps/{appId}/transfer-account/renew", .accessToken, changes: true)
    public static let redeemTransferAccount = Endpoint<TransferRedemption, Login>(
        .post, "/v1/apps/{appId}/transfer-account/redeem", .deviceKey, changes: true)
    public static let issueTransferKey = Endpoint<TransferKeyRequest, TransferKey>(
        .post, "/v1/apps/{appId}/transfer-key/issue", .accessToken, changes: true)
    public static let redeemTransferKey = Endpoint<TransferKeyRedemption, Login>(
        .post, "/v1/apps/{appId}/transfer-key/redeem", .deviceKey, changes: true)

    public static let withdraw = Endpoint<Empty, Empty>(
        .post, "/v1/apps/{appId}/withdrawal/now", .accessToken, changes: true)
    public static let requestWithdrawal = Endpoint<Empty, MemberChange>(
        .post, "/v1/apps/{appId}/withdrawal/request", .accessToken, changes: true)
    public static let cancelWithdrawal = Endpoint<Empty, MemberChange>(
        .post, "/v1/apps/{appId}/withdrawal/cancel", .accessToken, changes: true)

    public static let providerProfile = Endpoint<ProviderProfileRequest, ProviderProfile>(
        .post, "/v1/server/apps/{appId}/members/profile", .profile)
    public static let ban = Endpoint<BanRequest, MembersOutcome>(
        .post, "/v1/server/apps/{appId}/bans", .moderate, changes: true)
    public static let releaseBan = Endpoint<BanReleaseRequest, MembersOutcome>(
        .post, "/v1/server/apps/{appId}/bans/release", .moderate, changes: true)
    public static let registerGraceBan = Endpoint<GraceBanRequest, GraceBan>(
        .post, "/v1/server/apps/{appId}/grace-bans", .moderate, changes: true)
    public static let releaseGraceBan = Endpoint<GraceBanReleaseRequest, Empty>(
        .post, "/v1/server/apps/{appId}/grace-bans/release", .moderate, changes: true)
    public static let reportPayment = Endpoint<PaymentReport, PaymentOutcome>(
        .post, "/v1/server/apps/{appId}/payments", .moderate, changes: true)
    public static let revocations = Endpoint<RevocationsRequest, SignedRevocations>(
        .post, "/v1/server/apps/{appId}/revocations", .check)
    public static let kickOut = Endpoint<KickOutRequest, Empty>(
        .post, "/v1/server/apps/{appId}/kick-out", .moderate, changes: true)

    /// Where an identity provider redirects a player's browser. `{idp}` is the placeholder of its name.
    public static let callback = "/v1/apps/{appId}/callback/{idp}"
    /// Where an identity provider reports what a person has done there.
    public static let signal = "/v1/apps/{appId}/signals/{idp}"
    /// The page that a browser shows after its login has ended and the game has the result.
    public static let loginPage = "/login/finished"

    /// The path of ``callback`` or ``signal`` for one provider of an app.
    public static func path(_ template: String, of provider: Provider, app: AppID) -> String {
        template.replacing("{appId}", with: PathSegment.escape(app.rawValue))
            .replacing("{idp}", with: PathSegment.escape(provider.rawValue))
    }

    public static let all: [EndpointSummary] = [
        .init(launching), .init(keys), .init(logIn), .init(logInWithLastProvider), .init(beginLogin),
        .init(refreshSession),
        .init(logOut), .init(heartbeat), .init(member), .init(ownProfile), .init(checkToken), .init(addMapping),
        .init(forceMapping),
        .init(removeMapping), .init(changeLogin), .init(issueTransferAccount), .init(queryTransferAccount),
        .init(renewTransferAccount), .init(redeemTransferAccount), .init(issueTransferKey), .init(redeemTransferKey),
        .init(withdraw), .init(requestWithdrawal), .init(cancelWithdrawal), .init(providerProfile), .init(ban),
        .init(releaseBan),
        .init(registerGraceBan), .init(releaseGraceBan), .init(reportPayment), .init(kickOut), .init(revocations),
    ]
}

/// Headers that the contract defines beside the standard ones.
public enum HeaderNames {
    public static let proof = "DPoP"
    public static let secretKey = "X-Secret-Key"
    public static let idempotencyKey = "Idempotency-Key"
    public static let transactionID = "X-TCGB-Transaction-Id"
    /// Information about the device: a ``ClientInformation``.
    public static let client = "Gatehouse-Client"
    /// The scheme of `Authorization` (RFC 9449 section 7.1).
    public static let authorizationScheme = "DPoP"
}

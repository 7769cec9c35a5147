import GatehouseWire

/// One provider of the fake world: its places, and what its answers have that others' don't. Each stands in a file of its own, named as
/// the provider's file in `GatehouseProviders`.
struct FakeRow: Sendable {
    typealias Request = FakeProviders.Request
    typealias Response = FakeProviders.Response

    enum Place: Sendable {
        case authorize, token, keys, check, profile, revoke, certificate, issuer, channelToken, discovery, nothing
    }

    /// What a provider's own library hands to a game.
    enum Login: Sendable {
        case idToken, accessToken, code, idTokenAndCode, proof
    }

    let provider: Provider
    /// The place of each `HOST/PATH`.
    let places: [String: Place]
    /// The place of a path that has a variable part.
    var variablePlace: @Sendable (_ path: String) -> Place? = { _ in nil }
    /// The issuer in ID tokens.
    var issuer: String?
    var login = Login.accessToken
    /// Whether a person's id is a number.
    var hasNumbers = false
    /// A person's id, where it is neither the player's name nor a number.
    var subject: (@Sendable (_ player: String) -> String)?

    // MARK: Settings

    /// The members of an app's settings that others don't have. A member of everybody's is replaced.
    var settings: @Sendable (FakeProviders) -> [String: JSONValue]
    /// The secrets beside the client's.
    var secrets: @Sendable (FakeProviders) -> [String: JSONValue] = { _ in [:] }
    var hasClientSecret = true

    // MARK: Tokens

    /// Whether the request authenticates a client, whose id is right. Nil where the form has the client's secret.
    var isClient: (@Sendable (FakeProviders, Request, _ client: String) -> Bool)?
    var givesIDTokens = false
    var givesRefreshTokens = true
    /// Changes the claims of every ID token.
    var changeClaims: @Sendable (inout [String: JSONValue]) -> Void = { _ in }
    /// Changes the claims of an ID token that comes beside an access token.
    var changeWebClaims: @Sendable (inout [String: JSONValue?], _ accessToken: ProviderToken) -> Void = { _, _ in }
    /// Whether libraries' ID tokens are signed with a P-256 key and those of web logins with the client's secret, as LINE's.
    var signsAsLINE = false
    /// Changes the answer to a code.
    var changeTokens: @Sendable (inout [String: JSONValue], FakeProviders, _ player: String) -> Void = { _, _, _ in }
    /// Grants of the token endpoint that others don't have.
    var grant: @Sendable (FakeProviders, Request) -> Response? = { _, _ in nil }
    var check: @Sendable (FakeProviders, Request) -> Response = { _, _ in FakeProviders.failure(404, "not_found") }
    var profile: @Sendable (FakeProviders, Request) -> Response = { _, _ in FakeProviders.failure(404, "not_found") }
    var revoke: @Sendable (FakeProviders, Request) -> Response = { _, _ in FakeProviders.failure(404, "not_found") }

    // MARK: The page

    var hasPage = true
    var needsPKCE = false
    /// Whether the page's answer names its issuer (RFC 9207).
    var namesIssuer = false
    /// Whether a page's address requires the account and password again, with the parameters of this provider's documents.
    var asksAnew: @Sendable ([String: String]) -> Bool = { _ in false }
    /// Whether it then offers the account of before, without a password.
    var offersAccounts = false
    /// Whether the player's name comes with the first code.
    var tellsNameOnce = false
    /// The members of the answer of a player who turns back.
    var cancelled = ["error": "access_denied"]

    // MARK: Reports

    /// A report about a person, as the provider sends it. Nil for a provider without reports.
    var report: (@Sendable (FakeProviders, FakeReport) throws -> (headers: [String: String], body: [UInt8]))?
}

/// What a report of a provider says.
struct FakeReport: Sendable {
    /// `consent-revoked` or `account-deleted`.
    let kind: String
    let player: String
    let subject: String
    /// Members that a test changes.
    let changed: [String: JSONValue?]
    /// The key of somebody else who signs.
    let other: FakeSigningKey?
}

extension FakeRow {
    /// Every provider of the world, in the order of its control page.
    static let all: [FakeRow] = [
        .google, .apple, .gameCenter, .facebook, .line, .naver, .kakao, .kakaoGame, .twitter, .weibo, .payco, .hangame,
        .studio,
    ]

    /// A provider for partners, which an operator describes.
    static func partner(_ provider: Provider) -> FakeRow {
        let host = "partner.\(provider).example"
        return FakeRow(
            provider: provider,
            places: ["\(host)/authorize": .authorize, "\(host)/token": .token, "\(host)/introspect": .check],
            settings: { _ in
                [
                    "kind": "partner", "authorizationURL": .string("https://\(host)/authorize"),
                    "tokenURL": .string("https://\(host)/token"), "reauthentication": ["prompt": "login"],
                    "checks": [
                        [
                            "call": [
                                "method": "POST", "url": .string("https://\(host)/introspect"),
                                "headers": ["X-Api-Key": "{apiKey}"], "form": ["token": "{token}"],
                                "success": ["result.ok": "true"],
                            ],
                            "subject": "result.user.no", "audience": "result.client", "profile": "result.user",
                        ]
                    ],
                ]
            },
            secrets: { ["values": ["apiKey": .string($0.clientSecret(of: provider))]] },
            check: { idps, request in
                guard request.headers["x-api-key"] == idps.clientSecret(of: provider) else {
                    return FakeProviders.failure(401, "wrong_key")
                }
                guard let owner = idps.owner(of: request.form["token"] ?? "", at: provider) else {
                    return FakeProviders.json(["result": ["ok": false]])
                }
                return FakeProviders.json([
                    "result": [
                        "ok": true, "client": .string(owner.clientID),
                        "user": ["no": .string(idps.subject(of: owner.player, at: provider))],
                    ]
                ])
            },
            asksAnew: asksForLogin)
    }

    /// Whether OpenID Connect's own parameter asks for the account and the password.
    @Sendable static func asksForLogin(_ parameters: [String: String]) -> Bool {
        (parameters["prompt"] ?? "").split(separator: " ").contains("login")
    }

    /// The settings of a provider whose kind has its name.
    static func plain(_ kind: String) -> @Sendable (FakeProviders) -> [String: JSONValue] {
        { _ in ["kind": .string(kind)] }
    }
}

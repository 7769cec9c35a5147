public import GatehouseWire

/// The description of an identity provider: its endpoints and how its credentials are verified. It is data, so the code contains no
/// provider's name.
public struct ProviderDescription: Sendable, Hashable {
    /// Its ID tokens, if it issues any.
    var openID: OpenIDDescription?
    /// How an access token is verified; all checks must agree. Without any, access tokens are not accepted.
    var checks: [ProviderCheck] = []
    /// How a player logs in with a browser, if that is possible.
    var authorization: AuthorizationDescription?
    /// The calls that revoke a person's consent.
    var revocation: [ProviderCall] = []
    /// Whether its proofs have Game Center's form.
    var isGameCenter = false
    /// The use of each key of `additionalInfo` (LOGIN-3).
    var additionalInfo: [String: AdditionalInfoUse] = [:]

    /// Whether the checks show to whom an access token was issued. If they don't, any app's token would be accepted.
    var namesAudience: Bool { checks.contains { $0.audience != nil } }
}

/// How a provider's ID tokens are verified (OpenID Connect Core).
struct OpenIDDescription: Sendable, Hashable {
    var issuers: [String]
    /// Nil if the discovery document has it.
    var keysURL: String?
    /// Nil if the discovery document has them.
    var algorithms: [String]? = ["RS256"]
    /// Whether a token without a key id is accepted if exactly one of the provider's keys fits. Providers whose tokens always have one
    /// must send it.
    var acceptsUnnamedKeys = false
    /// Whether tokens of its web login are signed with the client's secret (HS256), as LINE documents.
    var signsWebTokensWithSecret = false
}

/// A call that verifies an access token.
public struct ProviderCheck: Codable, Sendable, Hashable {
    public var call: ProviderCall
    /// The path of the person's id.
    public var subject: String?
    /// Whether that id is an integer; otherwise it is a string.
    public var subjectIsNumber: Bool?
    /// The path of the client to which the token was issued.
    public var audience: String?
    /// Paths of the token's remaining seconds. The first one that exists is used.
    public var secondsLeft: [String]?
    /// The path of the time of expiry, in seconds since 1970; 0 means never.
    public var expiresAt: String?
    /// The path of the profile; empty for the whole response.
    public var profile: String?

    public init(
        _ call: ProviderCall, subject: String? = nil, subjectIsNumber: Bool? = nil, audience: String? = nil,
        secondsLeft: [String]? = nil, expiresAt: String? = nil, profile: String? = nil
    ) {
        self.call = call
        self.subject = subject
        self.subjectIsNumber = subjectIsNumber
        self.audience = audience
        self.secondsLeft = secondsLeft
        self.expiresAt = expiresAt
        self.profile = profile
    }
}

/// How a player logs in with a browser: the authorization code flow (RFC 6749 section 4.1).
struct AuthorizationDescription: Sendable, Hashable {
    /// Nil if the discovery document has it.
    var url: String?
    var tokenURL: String?
    var scopes: [String]
    /// Those without which the provider's answer lacks what a login is verified by: they are asked for whatever a call says.
    var required: [String] = []
    var scopeSeparator = " "
    /// Scopes that a game may ask for with a call, beside those that the operator has named. None of them lets the game act for
    /// the player: they tell more about a person, and Google's `games_lite` keeps what the player has reached in this game.
    var knownScopes: [String] = []
    /// Additional parameters of the provider's page.
    var parameters: [String: String] = [:]
    /// The documented parameters that make the provider's page ask for an account and its password again. Empty if none are documented:
    /// then a private browser session is used.
    var reauthentication: [String: String] = [:]
    /// Whether that makes the page ask for the password as well, and not only for one of the accounts that the browser knows.
    var asksForPassword = true
    var usesPKCE = true
    /// How a client with a secret authenticates; nil if the discovery document has it.
    var authentication: ClientAuthenticationMethod? = .secretPost
    /// Whether a token signed with the team's key at Apple is used as the secret.
    var signsSecretWithTeamKey = false
    /// Whether a client must have a secret.
    var needsSecret = true
    /// Whether the token endpoint requires the `state` again, as Naver's does.
    var sendsState = false
    /// Whether the provider must identify itself with `iss` in its redirect (RFC 9207). A received `iss` is always compared, required
    /// or not.
    var namesIssuer = false
}

public import GatehouseWire

/// What an identity provider is: where it answers and how its credentials are verified. Data: the code knows no provider's name.
public struct ProviderDescription: Sendable, Hashable {
    /// Its ID tokens, if it issues any.
    var openID: OpenIDDescription?
    /// How an access token is verified; all must agree. Without any, access tokens are not accepted.
    var checks: [ProviderCheck] = []
    /// How a player logs in with a browser, if that is possible.
    var authorization: AuthorizationDescription?
    /// What revokes a person's consent, call by call.
    var revocation: [ProviderCall] = []
    /// Whether its proofs are Game Center's.
    var isGameCenter = false
    /// What each key of `additionalInfo` does (LOGIN-3).
    var additionalInfo: [String: AdditionalInfoUse] = [:]

    /// Whether an access token shows for whom it was issued. Where it doesn't, anybody's app could bring one.
    var namesAudience: Bool { checks.contains { $0.audience != nil } }
}

/// ID tokens of a provider (OpenID Connect Core).
struct OpenIDDescription: Sendable, Hashable {
    var issuers: [String]
    /// Nil where its discovery document tells.
    var keysURL: String?
    /// Nil where its discovery document tells.
    var algorithms: [String]? = ["RS256"]
    /// Whether a token that names no key is accepted where the provider has one key that fits. Those whose tokens are known to
    /// name one are held to it.
    var acceptsUnnamedKeys = false
    /// Whether tokens of its web login are signed with the client's secret (HS256), as LINE documents.
    var signsWebTokensWithSecret = false
}

/// One call that verifies an access token.
public struct ProviderCheck: Codable, Sendable, Hashable {
    public var call: ProviderCall
    /// The path of the person's id.
    public var subject: String?
    /// Whether that id is a whole number; any other is a string.
    public var subjectIsNumber: Bool?
    /// The path of the client that the token was issued for.
    public var audience: String?
    /// Paths of the seconds that are left to the token: the first that is there counts.
    public var secondsLeft: [String]?
    /// The path of the moment at which it ends, in seconds since 1970; 0 is never.
    public var expiresAt: String?
    /// The path of what is told about the person; empty for the whole answer.
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

/// Login with a browser: the authorization code flow (RFC 6749 section 4.1).
struct AuthorizationDescription: Sendable, Hashable {
    /// Nil where the discovery document tells.
    var url: String?
    var tokenURL: String?
    var scopes: [String]
    /// Those without which the provider's answer lacks what a login is verified by: they are asked for whatever a call says.
    var required: [String] = []
    var scopeSeparator = " "
    /// Scopes that a game may ask for with a call, beside those that the operator has named. None of them lets the game act for
    /// the player: they tell more about a person, and Google's `games_lite` keeps what the player has reached in this game.
    var knownScopes: [String] = []
    /// What else the provider's page takes.
    var parameters: [String: String] = [:]
    /// What makes the provider's page ask for an account and its password anew, as its documents name it. Empty where they name
    /// nothing: then a browser session of its own does it.
    var reauthentication: [String: String] = [:]
    /// Whether that makes the page ask for the password as well, and not only for one of the accounts that the browser knows.
    var asksForPassword = true
    var usesPKCE = true
    /// How a client with a secret authenticates. Nil where the discovery document tells.
    var authentication: ClientAuthenticationMethod? = .secretPost
    /// Whether a token that Apple's key for the team has signed stands for the secret.
    var signsSecretWithTeamKey = false
    /// Whether a client without a secret is possible.
    var needsSecret = true
    /// Whether the token endpoint wants the `state` again, as Naver's does.
    var sendsState = false
    /// Whether the provider names itself with `iss` when it comes back (RFC 9207). Where it does, that is compared; where it
    /// comes unasked, too.
    var namesIssuer = false
}

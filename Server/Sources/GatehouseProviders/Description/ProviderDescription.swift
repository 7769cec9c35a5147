package import GatehouseSecurity
package import GatehouseWire

/// The description of an identity provider: its endpoints and how its credentials are verified. All other code contains no provider's
/// name.
package struct ProviderDescription: Sendable {
    /// Its ID tokens, if it issues any.
    package var openID: OpenIDDescription?
    /// How an access token is verified; all checks must agree. Without any, access tokens are not accepted.
    package var checks: [ProviderCheck] = []
    /// How a player logs in with a browser, if that is possible.
    package var authorization: AuthorizationDescription?
    /// The calls that revoke a person's consent.
    package var revocation: [ProviderCall] = []
    /// What an operator may set for it, beside what every provider has.
    package var settings = ProviderSettingsForm.described
    /// Whether its proofs have Game Center's form.
    package var isGameCenter = false
    /// The use of each key of `additionalInfo` (LOGIN-3).
    package var additionalInfo: [String: AdditionalInfoUse] = [:]
    /// The ends at which its terms require a game to revoke the consent, whatever the operator's setting.
    package var requiredRevocations: Set<ConsentEnd> = []
    /// What it does as no protocol says.
    package var oddities = ProviderOddities()
    /// What it reports about persons, if it does.
    package var reports: ProviderReports?

    /// Whether the checks show to whom an access token was issued. If they don't, any app's token would be accepted.
    package var namesAudience: Bool { checks.contains { $0.audience != nil } }
}

/// How an identity ends for which the player has given consent.
package enum ConsentEnd: Sendable, Hashable {
    case withdrawal
    case removal
}

/// What a provider does as no protocol says, as functions.
package struct ProviderOddities: Sendable {
    /// Makes the client's secret, for a provider whose clients sign it themselves.
    package var clientSecret:
        (@Sendable (_ secrets: ProviderSecrets, _ clientId: String, Moment) throws -> ProviderToken)?
    /// Why an access token can't be verified, by its form alone. Nil for one that can.
    package var refusal: (@Sendable (ProviderToken) -> String?)?
    /// Further values of placeholders in calls with a person's token.
    package var tokenValues: (@Sendable (ProviderToken, ProviderSecrets) -> [String: String])?
    /// The beginnings of the words with which it refuses a client in a form of its own, for a test of the settings.
    package var clientErrors: [String] = []
    /// The person's name in the parameters of a page's answer.
    package var personName: (@Sendable ([String: String]) -> String?)?
}

/// How a provider's ID tokens are verified (OpenID Connect Core).
package struct OpenIDDescription: Sendable, Hashable {
    package var issuers: [String]
    /// Nil if the discovery document has it.
    package var keysURL: String?
    /// Nil if the discovery document has them.
    package var algorithms: [String]? = ["RS256"]
    /// Whether a token without a key id is accepted if exactly one of the provider's keys fits. Providers whose tokens always have one
    /// must send it.
    package var acceptsUnnamedKeys = false
    /// Whether tokens of its web login are signed with the client's secret (HS256), as LINE documents.
    package var signsWebTokensWithSecret = false
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
package struct AuthorizationDescription: Sendable, Hashable {
    /// Nil if the discovery document has it.
    package var url: String?
    package var tokenURL: String?
    package var scopes: [String]
    /// Those without which the provider's answer lacks what a login is verified by: they are asked for whatever a call says.
    package var required: [String] = []
    package var scopeSeparator = " "
    /// Scopes that a game may ask for with a call, beside those that the operator has named. None of them lets the game act for
    /// the player: they tell more about a person, and Google's `games_lite` keeps what the player has reached in this game.
    package var knownScopes: [String] = []
    /// Additional parameters of the provider's page.
    package var parameters: [String: String] = [:]
    /// The documented parameters that make the provider's page ask for an account and its password again. Empty if none are documented:
    /// then a private browser session is used.
    package var reauthentication: [String: String] = [:]
    /// Whether that makes the page ask for the password as well, and not only for one of the accounts that the browser knows.
    package var asksForPassword = true
    package var usesPKCE = true
    /// How a client with a secret authenticates; nil if the discovery document has it.
    package var authentication: ClientAuthenticationMethod? = .secretPost
    /// Whether a client must have a secret.
    package var needsSecret = true
    /// Whether the token endpoint requires the `state` again, as Naver's does.
    package var sendsState = false
    /// Whether the provider must identify itself with `iss` in its redirect (RFC 9207). A received `iss` is always compared, required
    /// or not.
    package var namesIssuer = false
}

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

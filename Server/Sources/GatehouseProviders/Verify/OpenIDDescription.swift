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

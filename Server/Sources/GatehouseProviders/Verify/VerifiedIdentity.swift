/// The account of one person at one identity provider, as verified before any transaction began.
package struct VerifiedIdentity: Sendable, Hashable {
    package let key: IdentityKey
    /// The tokens that must be revoked later.
    package var tokens: IdentityTokens?
    /// What makes the credential usable only once, or by only one device.
    package var claim: CredentialClaim?
    /// Whether the credential is known to have been used before. Then its first user must be checked.
    package var wasUsed = false

    package init(key: IdentityKey, tokens: IdentityTokens? = nil, claim: CredentialClaim? = nil) {
        self.key = key
        self.tokens = tokens
        self.claim = claim
    }

    /// The same identity, with what is known of its credential.
    package func used(_ wasUsed: Bool) -> VerifiedIdentity {
        var identity = self
        identity.wasUsed = wasUsed
        return identity
    }
}

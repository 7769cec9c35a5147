package import GatehouseWire

/// The claims of an access token.
package struct AccessClaims: Sendable, Hashable {
    package let app: AppID
    package let user: UserID
    package let session: SessionID
    package let provider: Provider
    /// The device's key to which the token is bound.
    package let key: KeyThumbprint
    package let issuedAt: Moment
    package let expiresAt: Moment
    /// The generation of the member's sessions: whatever ends them all begins a new one (``Account/generation``).
    package let generation: Int64
    /// The issuer, for other systems that take the app's tokens: a text without anything to escape.
    package let issuer: String?

    package init(
        app: AppID,
        user: UserID,
        session: SessionID,
        provider: Provider,
        key: KeyThumbprint,
        issuedAt: Moment,
        expiresAt: Moment,
        generation: Int64,
        issuer: String? = nil
    ) {
        self.app = app
        self.user = user
        self.session = session
        self.provider = provider
        self.key = key
        self.issuedAt = issuedAt
        self.expiresAt = expiresAt
        self.generation = generation
        self.issuer = issuer
    }
}

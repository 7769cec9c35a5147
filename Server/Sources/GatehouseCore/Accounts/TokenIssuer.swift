import GatehouseSecurity
package import GatehouseWire

/// Creates access tokens for sessions, outside of any transaction.
package struct TokenIssuer: Sendable {
    /// A longer one would leave the other claims too little of ``AccessTokens/maximumLength``.
    private static let longestOrigin = 200

    let lifetimes: SessionLifetimes
    let issued: IssuedTokens
    private let origin: String?

    init(lifetimes: SessionLifetimes, issued: IssuedTokens, origin: String?) {
        self.lifetimes = lifetimes
        self.issued = issued
        // What would have to be escaped in a token is in no origin.
        let isPlain = (origin ?? "").utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != 0x22 && $0 != 0x5c }
        self.origin = origin.flatMap { isPlain && 1...Self.longestOrigin ~= $0.utf8.count ? $0 : nil }
    }

    /// The issuer that an app's access tokens name (OpenID Connect Discovery 1.0); nil for a server without an origin.
    package func name(of app: AppID) -> String? { origin.map { "\($0)/v1/apps/\(app)" } }

    func tokens(
        for session: TokenSubject, refreshToken: RefreshToken?, sessionExpiry: Moment, keys: SigningKeySet,
        at moment: Moment
    ) throws -> SessionTokens {
        guard let key = keys.signing(at: moment) else {
            throw Refusal(.serverInternalError, "The app has no signing key.")
        }
        // A token is never older than its session, which may begin at the end of a kick-out (``App/KickOut/end``), and never outlives
        // it.
        let issuedAt = max(moment, session.createdAt)
        let expiry = min(moment.adding(seconds: lifetimes.accessTokenSeconds), sessionExpiry)
        let claims = AccessClaims(
            app: session.app, user: session.user, session: session.session, provider: session.provider,
            key: session.key,
            issuedAt: issuedAt, expiresAt: expiry, generation: session.generation, issuer: name(of: session.app))
        let token = try AccessTokens.sign(claims, with: key)
        issued.insert(VerifiedTokens.hash(token))
        return SessionTokens(
            accessToken: token, accessTokenExpiryDate: expiry.milliseconds / 1_000 * 1_000, refreshToken: refreshToken,
            sessionExpiryDate: sessionExpiry.milliseconds)
    }
}

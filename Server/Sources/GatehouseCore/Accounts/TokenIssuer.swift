import GatehouseSecurity
import GatehouseWire

/// Creates access tokens for sessions, outside of any transaction.
struct TokenIssuer: Sendable {
    let lifetimes: SessionLifetimes
    let issued: IssuedTokens

    func tokens(
        for session: TokenSubject, refreshToken: RefreshToken?, sessionExpiry: Moment, keys: SigningKeySet,
        at moment: Moment
    ) throws -> SessionTokens {
        // way: guest 710, google 1340, transfer 940
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
            issuedAt: issuedAt, expiresAt: expiry, generation: session.generation)
        let token = try AccessTokens.sign(claims, with: key)
        issued.insert(VerifiedTokens.hash(token))
        return SessionTokens(
            accessToken: token, accessTokenExpiryDate: expiry.milliseconds / 1_000 * 1_000, refreshToken: refreshToken,
            sessionExpiryDate: sessionExpiry.milliseconds)
    }
}

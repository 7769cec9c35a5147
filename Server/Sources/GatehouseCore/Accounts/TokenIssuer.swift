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

/// The session that an access token is issued for.
struct TokenSubject: Sendable, Hashable {
    let app: AppID
    let user: UserID
    let session: SessionID
    let provider: Provider
    let key: KeyThumbprint
    let generation: Int64
    let createdAt: Moment

    init(_ session: Session) {
        app = session.app
        user = session.user
        self.session = session.id
        provider = session.provider
        key = session.key
        generation = session.generation
        createdAt = session.createdAt
    }

    init(
        app: AppID, user: UserID, session: SessionID, provider: Provider, key: KeyThumbprint, generation: Int64,
        createdAt: Moment
    ) {
        self.app = app
        self.user = user
        self.session = session
        self.provider = provider
        self.key = key
        self.generation = generation
        self.createdAt = createdAt
    }

    /// The session of an access token, after it has moved on to another identity provider.
    init(_ claims: AccessClaims, provider: Provider) {
        app = claims.app
        user = claims.user
        session = claims.session
        self.provider = provider
        key = claims.key
        generation = claims.generation
        createdAt = claims.issuedAt
    }
}

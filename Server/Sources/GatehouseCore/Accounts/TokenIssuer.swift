import Crypto
package import GatehouseSecurity
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

/// Verifies untrusted access tokens and returns their claims.
package struct AccessTokenReader: Sendable {
    let directory: AppDirectory
    let verified = VerifiedTokens()
    let issued: IssuedTokens

    /// The claims of a token of the app that is valid at a moment.
    ///
    /// - Parameter expired: whether an expired token is accepted. Then the call's rule checks the time
    ///   (``SessionRules/session(of:_:settling:leaving:in:)``).
    package func claims(
        of token: AccessToken, app: AppID, expired: Bool = false, at moment: Moment
    ) async throws -> AccessClaims {
        let claims = try await signedClaims(of: token, app: app, expired: expired, at: moment)
        guard expired || moment < claims.expiresAt else { throw AccessTokens.expired }
        return claims
    }

    private func signedClaims(
        of token: AccessToken, app: AppID, expired: Bool, at moment: Moment
    ) async throws -> AccessClaims {
        let hash = VerifiedTokens.hash(token)
        if let known = verified[hash], known.claims.app == app {
            // A key that was revoked since takes its tokens with it.
            guard try await directory.entry(app).keys.verifying(known.keyID, at: moment, retired: expired) != nil else {
                throw AccessTokens.foreign
            }
            return known.claims
        }
        let unverified = try AccessTokens.read(token)
        let keys = try await directory.entry(app, withKey: unverified.keyID).keys
        let claims = try AccessTokens.verify(
            unverified, app: app, keys: keys, isOurs: issued.contains(hash), expired: expired, at: moment)
        verified.insert(VerifiedTokens.Entry(claims: claims, keyID: unverified.keyID), hash)
        return claims
    }
}

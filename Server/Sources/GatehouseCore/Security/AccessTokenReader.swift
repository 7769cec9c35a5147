import Crypto
package import GatehouseSecurity
package import GatehouseWire

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

import Crypto
import Foundation
import GatehouseWire

/// What an access token says.
struct AccessClaims: Sendable, Hashable {
    let app: AppID
    let user: UserID
    let session: SessionID
    let provider: Provider
    /// The device's key that the token is bound to.
    let key: KeyThumbprint
    let issuedAt: Moment
    let expiresAt: Moment
    /// Of the member's sessions: what ends them all begins another (``Account/generation``).
    let generation: Int64
}

/// Access tokens: ES256 JWTs (RFC 9068's type) with the device's key in `cnf.jkt` (RFC 9449 section 6.1). Written and
/// read here and nowhere else, without an intermediate tree of JSON objects: a login signs one, every call reads one.
enum AccessTokens {
    static let maximumLength = 1_024

    static func sign(_ claims: AccessClaims, with key: SigningKey) throws -> AccessToken {
        // Ids and thumbprints are letters, digits, - and _ by construction; provider names are checked where they are
        // configured: nothing here needs escaping.
        let payload =
            #"{"aud":"\#(claims.app)","sub":"\#(claims.user)","sid":"\#(claims.session)","idp":"\#(claims.provider)","#
            + #""iat":\#(claims.issuedAt.milliseconds / 1_000),"exp":\#(claims.expiresAt.milliseconds / 1_000),"gen":\#(claims.generation),"#
            + #""cnf":{"jkt":"\#(claims.key)"}}"#
        return AccessToken(try CompactJWS.sign(header: key.tokenHeader, claims: payload, with: key.privateKey))
    }

    /// A token that has been read and not yet believed.
    struct Unverified {
        fileprivate let jws: CompactJWS
        let keyID: String
    }

    static func read(_ token: AccessToken) throws -> Unverified {
        guard let jws = CompactJWS(token.secretValue, maximumLength: maximumLength),
            jws.header["typ"]?.string == "at+jwt", jws.header["alg"]?.string == "ES256", jws.header["crit"] == nil,
            let keyID = jws.header["kid"]?.string
        else { throw refusal(.tokenMalformed, "The access token is not one of ours.") }
        return Unverified(jws: jws, keyID: keyID)
    }

    /// The claims of a token that one of the app's keys signed. Its time may be over.
    ///
    /// - Parameter isOurs: that this process has signed it is known.
    static func verify(
        _ token: Unverified, app: AppID, keys: SigningKeySet, isOurs: Bool, expired: Bool = false, at moment: Moment
    ) throws -> AccessClaims {
        let jws = token.jws
        guard let key = keys.verifying(token.keyID, at: moment, retired: expired),
            isOurs || jws.isSigned(by: key.publicKey)
        else {
            throw foreign
        }
        guard jws.claims["aud"]?.string == app.rawValue else {
            throw refusal(.tokenForeign, "The access token is for another app.")
        }
        guard let user = jws.claims["sub"]?.string, let session = jws.claims["sid"]?.string,
            let provider = jws.claims["idp"]?.string, let thumbprint = jws.claims["cnf"]?["jkt"]?.string,
            let issued = jws.claims["iat"]?.integer, let expires = jws.claims["exp"]?.integer
        else { throw refusal(.tokenMalformed, "The access token lacks a claim.") }
        return AccessClaims(
            app: app, user: UserID(user), session: SessionID(session), provider: Provider(provider),
            key: KeyThumbprint(thumbprint), issuedAt: Moment(milliseconds: 0).adding(seconds: issued),
            expiresAt: Moment(milliseconds: 0).adding(seconds: expires),
            generation: jws.claims["gen"]?.integer ?? 0)
    }

    static var foreign: Refusal { refusal(.tokenForeign, "No key of this app signed the access token.") }
    static var expired: Refusal { refusal(.tokenExpired, "The access token has expired: refresh it.") }

    private static func refusal(_ reason: ErrorReason, _ message: String) -> Refusal {
        Refusal(.authInvalidGatehouseToken, message, reason: reason, audit: "token.refused")
    }
}

/// Reads access tokens, from outside to claims that can be relied on.
struct AccessTokenReader: Sendable {
    let directory: AppDirectory
    let verified = VerifiedTokens()
    let issued: IssuedTokens

    /// The claims of a token of the app that is good at a moment.
    ///
    /// - Parameter expired: whether one whose time is over will do: the rule of the call looks at the time then
    ///   (``SessionRules/session(of:_:settling:leaving:in:)``).
    func claims(
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

import GatehouseJSON
import GatehousePlatform
package import GatehouseWire

/// Access tokens: ES256 JWTs (RFC 9068's type) with the device's key in `cnf.jkt` (RFC 9449 section 6.1). They are written and parsed
/// only here, without an intermediate tree of JSON objects, because every login signs one and every call parses one.
package enum AccessTokens {
    package static let maximumLength = 1_024

    package static func sign(_ claims: AccessClaims, with key: SigningKey) throws -> AccessToken {
        // Ids and thumbprints consist of letters, digits, - and _, and provider names are validated when they are configured, so
        // nothing here needs escaping. The issuer is told only to other systems: nothing here reads it.
        let issuer = claims.issuer.map { #""iss":"\#($0)","# } ?? ""
        let payload =
            #"{\#(issuer)"aud":"\#(claims.app)","sub":"\#(claims.user)","sid":"\#(claims.session)","idp":"\#(claims.provider)","#
            + #""iat":\#(claims.issuedAt.milliseconds / 1_000),"exp":\#(claims.expiresAt.milliseconds / 1_000),"gen":\#(claims.generation),"#
            + #""cnf":{"jkt":"\#(claims.key)"}}"#
        return AccessToken(try CompactJWS.sign(header: key.tokenHeader, claims: payload, with: key.privateKey))
    }

    /// A parsed token that has not been verified.
    package struct Unverified {
        fileprivate let jws: CompactJWS
        package let keyID: String
    }

    package static func read(_ token: AccessToken) throws -> Unverified {
        guard let jws = CompactJWS(token.secretValue, maximumLength: maximumLength),
            jws.header["typ"]?.string == "at+jwt", jws.header["alg"]?.string == "ES256", jws.header["crit"] == nil,
            let keyID = jws.header["kid"]?.string
        else { throw refusal(.tokenMalformed, "The access token is not one of ours.") }
        return Unverified(jws: jws, keyID: keyID)
    }

    /// The claims of a token signed with one of the app's keys. The token may have expired.
    ///
    /// - Parameter isOurs: whether this process is known to have signed it.
    package static func verify(
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

    package static var foreign: Refusal { refusal(.tokenForeign, "No key of this app signed the access token.") }
    package static var expired: Refusal { refusal(.tokenExpired, "The access token has expired: refresh it.") }

    private static func refusal(_ reason: ErrorReason, _ message: String) -> Refusal {
        Refusal(.authInvalidGatehouseToken, message, reason: reason, audit: "token.refused")
    }
}

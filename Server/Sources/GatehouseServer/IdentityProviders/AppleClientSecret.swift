import Crypto
import GatehouseJSON
import GatehouseSecurity
import GatehouseWire

/// Apple's client secret: a token signed with the team's key.
enum AppleClientSecret {
    /// The lifetime is short, because each token is made for one call.
    static let lifetimeSeconds: Int64 = 300

    static func make(key: ProviderSecrets.AppleKey, clientId: String, at moment: Moment) throws -> ProviderToken {
        guard let signer = try? P256.Signing.PrivateKey(pemRepresentation: key.privateKey.secretValue) else {
            throw IdentityFailure.misconfigured("Apple's private key is not a P-256 key in PEM")
        }
        let now = moment.milliseconds / 1_000
        let header = try JSONText.write(["alg": "ES256", "kid": key.keyId])
        let claims = try JSONText.write(
            Claims(
                iss: key.teamId, iat: now, exp: now + lifetimeSeconds, aud: "https://appleid.apple.com", sub: clientId))
        return ProviderToken(try CompactJWS.sign(header: header, claims: claims, with: signer))
    }

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let sub: String
    }
}

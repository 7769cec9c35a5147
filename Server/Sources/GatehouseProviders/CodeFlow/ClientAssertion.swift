import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseWire

/// A token that a client signs to authenticate itself (RFC 7523 section 2.2). Each is made for one request.
package struct ClientAssertion: Sendable {
    package static let lifetimeSeconds: Int64 = 60

    package let key: ProviderSecrets.ClientKey
    /// The URL of the provider's token endpoint, which is also used in requests to other endpoints (OpenID Connect Core section 9).
    package let audience: String
    package let random: RandomSource

    package init(key: ProviderSecrets.ClientKey, audience: String, random: RandomSource) {
        self.key = key
        self.audience = audience
        self.random = random
    }

    package func token(of clientId: String, at moment: Moment) throws -> String {
        guard let signer = ClientSigningKey(pem: key.privateKey.secretValue) else {
            throw IdentityFailure.misconfigured("the client's private key is neither RSA nor P-256 in PEM")
        }
        let now = moment.milliseconds / 1_000
        let header = try JSONText.write(Header(alg: signer.algorithm, kid: key.keyId))
        let claims = try JSONText.write(
            Claims(
                iss: clientId, sub: clientId, aud: audience, jti: Base64URL.encode(random.bytes(16)), iat: now,
                exp: now + Self.lifetimeSeconds))
        let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        return "\(input).\(Base64URL.encode(try signer.signature(for: Data(input.utf8))))"
    }

    private struct Header: Encodable {
        let alg: String
        let kid: String?
    }

    private struct Claims: Encodable {
        let iss: String
        let sub: String
        let aud: String
        let jti: String
        let iat: Int64
        let exp: Int64
    }
}

package import Crypto
package import CryptoExtras
import Foundation
package import GatehouseJSON
package import GatehouseSecurity
import GatehouseWire

/// A public key of an identity provider. The algorithm is determined by the key, never by the token.
package enum ProviderKey: Sendable {
    case rs256(_RSA.Signing.PublicKey)
    case es256(P256.Signing.PublicKey)

    package var algorithm: String {
        switch self {
        case .rs256: "RS256"
        case .es256: "ES256"
        }
    }

    package func isValid(_ token: SignedToken) -> Bool {
        switch self {
        case .rs256(let key):
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: Data(token.signature)), for: Data(token.signingInput),
                padding: .insecurePKCS1v1_5)
        case .es256(let key):
            guard token.signature.count == 64,
                let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature)
            else { return false }
            return key.isValidSignature(signature, for: Data(token.signingInput))
        }
    }

    /// The key of a JWK (RFC 7517), or nil for one that is not for signatures or of an unknown kind. Such members are ignored, and the
    /// others are used (IDP-5).
    package init?(_ jwk: StrictJSON.Value) {
        if let use = jwk["use"], use.string != "sig" { return nil }
        let algorithm = jwk["alg"]?.string
        switch jwk["kty"]?.string {
        case "RSA":
            guard algorithm == nil || algorithm == "RS256",
                let modulus = jwk["n"]?.string.flatMap({ Base64URL.decode($0) }), (256...1_024).contains(modulus.count),
                let exponent = jwk["e"]?.string.flatMap({ Base64URL.decode($0) }), (1...8).contains(exponent.count),
                let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent)
            else { return nil }
            self = .rs256(key)
        case "EC":
            guard algorithm == nil || algorithm == "ES256", jwk["crv"]?.string == "P-256", let x = jwk["x"]?.string,
                let y = jwk["y"]?.string, let key = P256.Signing.PublicKey(x: x, y: y)
            else { return nil }
            self = .es256(key)
        default: return nil
        }
    }
}

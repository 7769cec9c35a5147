package import Crypto
package import GatehouseJSON
import GatehousePlatform
import GatehouseWire

/// A signed token in compact form (RFC 7515 section 3.1). Only ES256 is accepted, because a token must not choose its algorithm.
package struct CompactJWS {
    private let token: SignedToken

    package var header: StrictJSON.Value { token.header }
    package var claims: StrictJSON.Value { token.claims }

    /// Nil for anything that is not a token of three parts whose first two are JSON objects and whose last is 64 bytes.
    package init?(_ text: String, maximumLength: Int) {
        guard let token = SignedToken(text, maximumLength: maximumLength), token.signature.count == 64 else {
            return nil
        }
        self.token = token
    }

    package func isSigned(by key: P256.Signing.PublicKey) -> Bool {
        guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: token.signature) else { return false }
        return key.isValidSignature(signature, for: token.signingInput)
    }

    /// Signs a token. `header` and `claims` are JSON.
    package static func sign(header: String, claims: String, with key: P256.Signing.PrivateKey) throws -> String {
        let input = "\(Base64URL.encode(header.utf8)).\(Base64URL.encode(claims.utf8))"
        let signature = try key.signature(for: Data(input.utf8))
        return "\(input).\(Base64URL.encode(signature.rawRepresentation))"
    }
}

extension P256.Signing.PublicKey {
    /// The key with a JWK's coordinates; nil when they are not a point of the curve.
    package init?(x: String, y: String) {
        guard let x = Base64URL.decode(x), let y = Base64URL.decode(y), x.count == 32, y.count == 32,
            let key = try? P256.Signing.PublicKey(rawRepresentation: x + y)
        else { return nil }
        self = key
    }
}

import Crypto
import Foundation
import GatehouseCore
import GatehouseSecurity
import GatehouseServer
import GatehouseWire

/// A player's device, implemented without the SDK: it has a key and signs proofs, valid ones and invalid ones.
struct TestDevice: Sendable {
    let key: P256.Signing.PrivateKey

    init(key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.key = key
    }

    var jwk: PublicKey {
        let bytes = key.publicKey.rawRepresentation
        return PublicKey(x: Base64URL.encode(bytes.prefix(32)), y: Base64URL.encode(bytes.suffix(32)))
    }

    var thumbprint: KeyThumbprint {
        KeyThumbprint(Base64URL.encode(SHA256.hash(data: Data(jwk.thumbprintInput.utf8))))
    }

    /// A proof. A test changes members through `header` and `claims`; nil removes a member.
    func proof(
        _ method: String, _ path: String, token: String? = nil, at moment: Moment, origin: String = TestServer.origin,
        header changedHeader: [String: JSONValue?] = [:], claims changedClaims: [String: JSONValue?] = [:],
        signedBy other: P256.Signing.PrivateKey? = nil
    ) throws -> String {
        var header: [String: JSONValue] = [
            "typ": "dpop+jwt", "alg": "ES256",
            "jwk": ["kty": "EC", "crv": "P-256", "x": .string(jwk.x), "y": .string(jwk.y)],
        ]
        var claims: [String: JSONValue] = [
            "jti": .string(Base64URL.encode(RandomSource.live.bytes(16))), "htm": .string(method),
            "htu": .string(origin + path), "iat": .integer(moment.milliseconds / 1_000),
        ]
        if let token { claims["ath"] = .string(Base64URL.encode(SHA256.hash(data: Data(token.utf8)))) }
        for (name, value) in changedHeader { header[name] = value }
        for (name, value) in changedClaims { claims[name] = value }
        let encoder = JSONEncoder()
        let input = "\(Base64URL.encode(try encoder.encode(header))).\(Base64URL.encode(try encoder.encode(claims)))"
        let signature = try (other ?? key).signature(for: Data(input.utf8))
        return "\(input).\(Base64URL.encode(signature.rawRepresentation))"
    }
}

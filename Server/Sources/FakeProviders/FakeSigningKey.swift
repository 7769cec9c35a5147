import Crypto
import CryptoExtras
import Foundation
import GatehouseWire

/// A key that fake providers sign with: RSA of 2048 bits, RS256.
public struct FakeSigningKey: Sendable {
    public let id: String
    let key: _RSA.Signing.PrivateKey

    /// A new key.
    public init(id: String = "fake-1") throws {
        self.id = id
        key = try _RSA.Signing.PrivateKey(keySize: .bits2048)
    }

    /// As a JWK.
    var published: JSONValue {
        let primitives = try? key.publicKey.getKeyPrimitives()
        return [
            "kty": "RSA", "use": "sig", "alg": "RS256", "kid": .string(id),
            "n": .string(Base64URL.encode(primitives?.modulus ?? Data())),
            "e": .string(Base64URL.encode(primitives?.publicExponent ?? Data())),
        ]
    }

    func sign(_ input: String) throws -> Data {
        try key.signature(for: Data(input.utf8), padding: .insecurePKCS1v1_5).rawRepresentation
    }
}

/// Signed tokens in compact form.
enum FakeJWS {
    static func input(header: [String: JSONValue], claims: [String: JSONValue]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return "\(Base64URL.encode(try encoder.encode(header))).\(Base64URL.encode(try encoder.encode(claims)))"
    }

    static func sign(_ input: String, with key: P256.Signing.PrivateKey) throws -> Data {
        try key.signature(for: Data(input.utf8)).rawRepresentation
    }

    static func sign(_ input: String, secret: String) -> Data {
        Data(
            HMAC<SHA256>.authenticationCode(for: Data(input.utf8), using: SymmetricKey(data: Data(secret.utf8))))
    }

    /// 256 bits.
    static func nonce() -> String {
        SymmetricKey(size: .bits256).withUnsafeBytes { Base64URL.encode($0) }
    }
}

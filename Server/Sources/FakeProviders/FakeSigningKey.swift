import Crypto
import CryptoExtras
import GatehousePlatform
import GatehouseWire
import X509

/// A key with which fake providers sign: RSA of 2048 bits (RS256), P-256 (ES256), or Ed25519 (EdDSA).
public struct FakeSigningKey: Sendable {
    private enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    public let id: String
    /// Whether the key is published with its id.
    public var publishesID = true
    /// The algorithm with which the key is published, if it is not its own.
    public var publishedAlgorithm: String?
    private let key: Key

    /// A new RSA key.
    public init(id: String = "fake-1") throws {
        self.init(id: id, .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048)))
    }

    private init(id: String, _ key: Key) {
        self.id = id
        self.key = key
    }

    /// A new P-256 key.
    public static func p256(id: String = "fake-1") -> FakeSigningKey {
        FakeSigningKey(id: id, .p256(P256.Signing.PrivateKey()))
    }

    /// A new Ed25519 key.
    public static func ed25519(id: String = "fake-1") -> FakeSigningKey {
        FakeSigningKey(id: id, .ed25519(Curve25519.Signing.PrivateKey()))
    }

    var algorithm: String {
        switch key {
        case .rsa: "RS256"
        case .p256: "ES256"
        case .ed25519: "EdDSA"
        }
    }

    /// The public key as a JWK.
    var published: JSONValue {
        var members: [String: JSONValue] = ["use": "sig", "alg": .string(publishedAlgorithm ?? algorithm)]
        if publishesID { members["kid"] = .string(id) }
        switch key {
        case .rsa(let key):
            let primitives = try? key.publicKey.getKeyPrimitives()
            members["kty"] = "RSA"
            members["n"] = .string(Base64URL.encode(primitives?.modulus ?? Data()))
            members["e"] = .string(Base64URL.encode(primitives?.publicExponent ?? Data()))
        case .p256(let key):
            let raw = key.publicKey.rawRepresentation
            members["kty"] = "EC"
            members["crv"] = "P-256"
            members["x"] = .string(Base64URL.encode(raw.prefix(32)))
            members["y"] = .string(Base64URL.encode(raw.suffix(32)))
        case .ed25519(let key):
            members["kty"] = "OKP"
            members["crv"] = "Ed25519"
            members["x"] = .string(Base64URL.encode(key.publicKey.rawRepresentation))
        }
        return .object(members)
    }

    /// The public key in a certificate's format.
    var certificateKey: Certificate.PublicKey {
        switch key {
        case .rsa(let key): .init(key.publicKey)
        case .p256(let key): .init(key.publicKey)
        case .ed25519(let key): .init(key.publicKey)
        }
    }

    func sign(_ input: String) throws -> Data { try sign(Data(input.utf8)) }

    func sign(_ input: Data) throws -> Data {
        switch key {
        case .rsa(let key): try key.signature(for: input, padding: .insecurePKCS1v1_5).rawRepresentation
        case .p256(let key): try key.signature(for: input).rawRepresentation
        case .ed25519(let key): try key.signature(for: input)
        }
    }
}

/// Signed tokens in compact form.
enum FakeJWS {
    static func input(header: [String: JSONValue], claims: [String: JSONValue]) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return "\(Base64URL.encode(try encoder.encode(header))).\(Base64URL.encode(try encoder.encode(claims)))"
    }

    /// The signed input, the claims and the signature; nil if the text is not a token.
    static func parts(_ text: String) -> (input: String, claims: [String: JSONValue], signature: [UInt8])? {
        let parts = text.split(separator: ".").map(String.init)
        guard parts.count == 3, let signature = Base64URL.decode(parts[2].utf8),
            let bytes = Base64URL.decode(parts[1].utf8),
            let claims = try? JSONDecoder().decode([String: JSONValue].self, from: Data(bytes))
        else { return nil }
        return ("\(parts[0]).\(parts[1])", claims, Array(signature))
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

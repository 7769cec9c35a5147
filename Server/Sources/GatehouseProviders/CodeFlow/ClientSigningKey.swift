package import Crypto
package import CryptoExtras
package import GatehousePlatform

/// A client's private key. Its kind determines the algorithm.
package enum ClientSigningKey {
    case es256(P256.Signing.PrivateKey)
    case rs256(_RSA.Signing.PrivateKey)

    /// Nil for anything but a P-256 key, or an RSA key of at least 2048 bits.
    package init?(pem: String) {
        if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            self = .es256(key)
        } else if let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem), key.keySizeInBits >= 2_048 {
            self = .rs256(key)
        } else {
            return nil
        }
    }

    package var algorithm: String {
        switch self {
        case .es256: "ES256"
        case .rs256: "RS256"
        }
    }

    package func signature(for input: Data) throws -> Data {
        switch self {
        case .es256(let key): try key.signature(for: input).rawRepresentation
        case .rs256(let key): try key.signature(for: input, padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }
}

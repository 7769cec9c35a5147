import Crypto
package import Foundation
package import GatehouseWire

/// The key that authenticates this device. It is the guest's identity, and every session is bound to it.
package protocol DeviceKey: Sendable {
    var publicKey: PublicKey { get }
    /// Signs a message as ES256 does (RFC 7518 section 3.4): r and s, 32 bytes each.
    func sign(_ message: Data) throws -> Data
}

/// A key in the memory of the game, and in the device's storage.
struct SoftwareKey: DeviceKey {
    private let key: P256.Signing.PrivateKey
    let publicKey: PublicKey

    init(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.key = key
        publicKey = PublicKey(coordinates: key.publicKey.rawRepresentation)
    }

    init(rawRepresentation: Data) throws {
        self.init(try P256.Signing.PrivateKey(rawRepresentation: rawRepresentation))
    }

    var rawRepresentation: Data { key.rawRepresentation }

    func sign(_ message: Data) throws -> Data { try key.signature(for: message).rawRepresentation }
}

extension PublicKey {
    /// Makes the value from x and y, 32 bytes each.
    init(coordinates: Data) {
        self.init(x: Base64URL.encode(coordinates.prefix(32)), y: Base64URL.encode(coordinates.suffix(32)))
    }
}

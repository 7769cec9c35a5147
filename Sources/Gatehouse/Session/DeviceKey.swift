import Crypto
import Foundation
import GatehouseWire

/// The key that authenticates this device. It is the guest's identity, and every session is bound to it.
struct DeviceKey: Sendable {
    private let key: P256.Signing.PrivateKey
    let publicKey: PublicKey

    init(_ key: P256.Signing.PrivateKey = P256.Signing.PrivateKey()) {
        self.key = key
        let bytes = key.publicKey.rawRepresentation
        publicKey = PublicKey(x: Base64URL.encode(bytes.prefix(32)), y: Base64URL.encode(bytes.suffix(32)))
    }

    init(rawRepresentation: Data) throws {
        self.init(try P256.Signing.PrivateKey(rawRepresentation: rawRepresentation))
    }

    var rawRepresentation: Data { key.rawRepresentation }

    var thumbprint: KeyThumbprint {
        KeyThumbprint(Base64URL.encode(SHA256.hash(data: Data(publicKey.thumbprintInput.utf8))))
    }

    func sign(_ text: String) throws -> String {
        Base64URL.encode(try key.signature(for: Data(text.utf8)).rawRepresentation)
    }
}

#if canImport(Security) && canImport(CryptoKit)
import CryptoKit
import Foundation
import GatehouseWire
import Security

/// A key that the Secure Enclave has made and that it never gives away: it signs there.
struct SecureEnclaveKey: DeviceKey, @unchecked Sendable {  // CryptoKit's keys never change.
    private let key: SecureEnclave.P256.Signing.PrivateKey
    let publicKey: PublicKey

    init(_ key: SecureEnclave.P256.Signing.PrivateKey) {
        self.key = key
        publicKey = PublicKey(coordinates: key.publicKey.rawRepresentation)
    }

    func sign(_ message: Data) throws -> Data { try key.signature(for: message).rawRepresentation }
}

extension KeyHardware {
    /// The hardware of this device: the Secure Enclave, or none, as in a virtual machine.
    static var system: KeyHardware? { SecureEnclave.isAvailable ? secureEnclave : nil }

    private static let secureEnclave = KeyHardware {
        let key = try SecureEnclave.P256.Signing.PrivateKey(accessControl: try accessControl())
        return (SecureEnclaveKey(key), key.dataRepresentation)
    } open: { blob in
        SecureEnclaveKey(try SecureEnclave.P256.Signing.PrivateKey(dataRepresentation: blob))
    }

    /// The key may sign whenever its item in the Keychain can be read: after the first unlock, for a game that plays on in the background,
    /// too. The system's default is an unlocked device.
    private static func accessControl() throws -> SecAccessControl {
        guard
            let control = SecAccessControlCreateWithFlags(
                nil, kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly, .privateKeyUsage, nil)
        else { throw SecureStorageError.unavailable("access control") }
        return control
    }
}
#endif

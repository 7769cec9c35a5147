import Crypto
import Foundation
import GatehouseWire

/// Encrypts what must be read again and may not lie open in a database or its backups: AES-256-GCM under the operator's
/// master key. Each value is sealed for one purpose and opens for no other, so that rows can't be swapped.
public struct KeyVault: Sendable {
    private let key: SymmetricKey

    /// - Parameter masterKey: 32 bytes.
    public init(masterKey: [UInt8]) throws {
        guard masterKey.count == 32 else { throw KeyVaultError.wrongKeyLength(masterKey.count) }
        key = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: masterKey), info: Data("gatehouse vault 1".utf8), outputByteCount: 32)
    }

    /// A keyed hash of a short secret: worth nothing without the master key.
    func fingerprint(of secret: String, for purpose: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("\(purpose)\0\(secret)".utf8), using: key))
    }

    func seal(_ bytes: some Sequence<UInt8>, for purpose: String) throws -> [UInt8] {
        let box = try AES.GCM.seal(Data(bytes), using: key, authenticating: Data(purpose.utf8))
        guard let combined = box.combined else { throw KeyVaultError.cannotOpen(purpose) }
        return Array(combined)
    }

    func open(_ sealed: [UInt8], for purpose: String) throws -> [UInt8] {
        do {
            return Array(
                try AES.GCM.open(AES.GCM.SealedBox(combined: sealed), using: key, authenticating: Data(purpose.utf8)))
        } catch {
            throw KeyVaultError.cannotOpen(purpose)
        }
    }
}

public enum KeyVaultError: Error, CustomStringConvertible {
    case wrongKeyLength(Int)
    case notBase64
    case cannotOpen(String)
    case unsafeFile(path: String, reason: String)

    public var description: String {
        switch self {
        case .wrongKeyLength(let count): "the master key must be 32 bytes in base64, not \(count) bytes"
        case .notBase64: "the master key must be 32 bytes in base64 or base64url"
        case .cannotOpen(let purpose):
            "the master key does not open the \(purpose) of this database: start with the key that it was created with"
        case .unsafeFile(let path, let reason): "the key file \(path) \(reason)"
        }
    }
}

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

/// Hardware that makes keys which can't be read from it, such as the Secure Enclave of Apple's systems.
package struct KeyHardware: Sendable {
    /// Makes a key.
    ///
    /// - Returns: the key, and the blob that is stored for it: only the hardware that has made it can use it.
    let make: @Sendable () throws -> (key: any DeviceKey, blob: Data)
    /// Returns the key that belongs to a blob.
    let open: @Sendable (_ blob: Data) throws -> any DeviceKey

    package init(
        make: @escaping @Sendable () throws -> (key: any DeviceKey, blob: Data),
        open: @escaping @Sendable (_ blob: Data) throws -> any DeviceKey
    ) {
        self.make = make
        self.open = open
    }

    #if !(canImport(Security) && canImport(CryptoKit))
    /// The hardware of this device: this system has none that the SDK uses.
    static let system: KeyHardware? = nil
    #endif
}

/// The device's key with the bytes that are stored for it.
///
/// A key in software is stored as its 32 bytes, as by every version before. A key in hardware is stored as the hardware's blob, behind a
/// word that no such version takes for a key.
struct StoredKey: Sendable {
    private static let hardwarePrefix = Data("hardware:".utf8)

    let key: any DeviceKey
    let protection: KeyProtection
    let data: Data

    /// Makes a new key, in hardware if there is any.
    init(in hardware: KeyHardware?) {
        // Hardware that makes no key at this moment must not keep the player out, and the server is told where the key is.
        guard let hardware, let made = try? hardware.make() else {
            let key = SoftwareKey()
            (self.key, protection, data) = (key, .software, key.rawRepresentation)
            return
        }
        (key, protection, data) = (made.key, .hardware, Self.hardwarePrefix + made.blob)
    }

    /// The key that these bytes were stored for.
    ///
    /// - Throws: ``SecureStorageError/unavailable(_:)`` when the hardware does not give the key; any error of the library when the bytes
    ///   are none of a key.
    init(_ data: Data, in hardware: KeyHardware?) throws {
        self.data = data
        guard data.starts(with: Self.hardwarePrefix) else {
            key = try SoftwareKey(rawRepresentation: data)
            protection = .software
            return
        }
        guard let hardware else { throw SecureStorageError.unavailable("the hardware of the key is not there") }
        do {
            key = try hardware.open(Data(data.dropFirst(Self.hardwarePrefix.count)))
        } catch {
            throw SecureStorageError.unavailable("the hardware does not give the key")
        }
        protection = .hardware
    }

    var publicKey: PublicKey { key.publicKey }

    func sign(_ text: String) throws -> String { Base64URL.encode(try key.sign(Data(text.utf8))) }
}

import Foundation
import GatehouseWire

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

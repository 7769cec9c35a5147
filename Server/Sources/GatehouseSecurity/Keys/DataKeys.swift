import Crypto
import GatehousePlatform

/// The keys that encrypt a database's secrets. They are stored in the database, wrapped with the master key: a new master key only
/// wraps them again, and no encrypted value changes (envelope encryption).
package struct DataKeys: Sendable, Hashable {
    package static let length = 32

    /// A random key. Only its wrapped copy connects it with a master key.
    package let current: [UInt8]
    /// The key that version 1 used, derived from the master key of that time; nil in databases without values from version 1.
    package let earlier: [UInt8]?

    package init(madeBy random: RandomSource, earlier: [UInt8]? = nil) {
        self.init(current: random.bytes(Self.length), earlier: earlier)
    }

    /// The only key that version 1 derived from a master key.
    package static func earlier(of masterKey: [UInt8]) throws -> [UInt8] {
        derive(from: try checked(masterKey), for: "gatehouse vault 1").withUnsafeBytes { Array($0) }
    }

    /// Version, nonce, ciphertext, tag.
    package func wrapped(by masterKey: [UInt8]) throws -> [UInt8] {
        let box = try AES.GCM.seal(
            Data(current + (earlier ?? [])), using: Self.wrappingKey(masterKey), authenticating: Self.purpose)
        guard let combined = box.combined else { throw KeyVaultError.cannotOpen("secrets") }
        return [Self.version] + combined
    }

    /// - Throws: ``KeyVaultError/cannotOpen(_:)`` when they were wrapped with another master key.
    package init(_ wrapped: [UInt8], masterKey: [UInt8]) throws {
        let key = try Self.wrappingKey(masterKey)
        guard wrapped.first == Self.version, let box = try? AES.GCM.SealedBox(combined: wrapped.dropFirst()),
            let keys = try? AES.GCM.open(box, using: key, authenticating: Self.purpose),
            [Self.length, 2 * Self.length].contains(keys.count)
        else { throw KeyVaultError.cannotOpen("secrets") }
        current = Array(keys.prefix(Self.length))
        earlier = keys.count > Self.length ? Array(keys.dropFirst(Self.length)) : nil
    }

    package init(current: [UInt8], earlier: [UInt8]?) {
        self.current = current
        self.earlier = earlier
    }

    private static let version: UInt8 = 1
    private static let purpose = Data("gatehouse data keys".utf8)

    private static func wrappingKey(_ masterKey: [UInt8]) throws -> SymmetricKey {
        derive(from: try checked(masterKey), for: "gatehouse envelope 1")
    }

    private static func checked(_ masterKey: [UInt8]) throws -> [UInt8] {
        guard masterKey.count == length else { throw KeyVaultError.wrongKeyLength(masterKey.count) }
        return masterKey
    }

    private static func derive(from masterKey: [UInt8], for purpose: String) -> SymmetricKey {
        HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: masterKey), info: Data(purpose.utf8), outputByteCount: length)
    }
}

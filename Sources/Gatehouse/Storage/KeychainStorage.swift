#if canImport(Security)
public import Foundation
import Security

/// Stores items in the Keychain. They can be read after the first unlock, stay on this device, and survive a reinstallation of the
/// game.
public struct KeychainStorage: SecureStorage {
    private let service: String
    private let accessGroup: String?

    /// Makes the storage of one app.
    ///
    /// - Parameter appID: the app's id. Apps with different ids don't see each other's items.
    /// - Parameter accessGroup: shares the items with the game's extensions.
    public init(appID: String, accessGroup: String? = nil) {
        service = "gatehouse.\(appID)"
        self.accessGroup = accessGroup
    }

    /// The bytes of an item, or nil if it does not exist.
    public func read(_ item: String) throws -> Data? {
        var query = query(item)
        query[kSecReturnData as String] = true
        query[kSecMatchLimit as String] = kSecMatchLimitOne
        var found: CFTypeRef?
        switch SecItemCopyMatching(query as CFDictionary, &found) {
        case errSecSuccess:
            guard let data = found as? Data else { throw SecureStorageError.corrupt(item) }
            return data
        case errSecItemNotFound: return nil
        // A locked device (errSecInteractionNotAllowed) must not be treated as an empty one.
        case let status: throw SecureStorageError.unavailable("read: \(status)")
        }
    }

    /// Replaces an item in one step.
    public func write(_ data: Data, to item: String) throws {
        var status = SecItemUpdate(query(item) as CFDictionary, values(data) as CFDictionary)
        if status == errSecItemNotFound {
            // Another process may have added it in the meantime.
            if try add(data, as: item) { return }
            status = SecItemUpdate(query(item) as CFDictionary, values(data) as CFDictionary)
        }
        guard status == errSecSuccess else { throw SecureStorageError.unavailable("write: \(status)") }
        guard try read(item) == data else { throw SecureStorageError.unavailable("what was written can't be read") }
    }

    /// Writes an item that does not exist.
    ///
    /// - Returns: false if it exists. Then it stays as it is.
    public func add(_ data: Data, as item: String) throws -> Bool {
        let status = SecItemAdd(query(item).merging(values(data)) { _, new in new } as CFDictionary, nil)
        guard status != errSecDuplicateItem else { return false }
        guard status == errSecSuccess else { throw SecureStorageError.unavailable("add: \(status)") }
        guard try read(item) == data else { throw SecureStorageError.unavailable("what was written can't be read") }
        return true
    }

    /// Removes an item, if it exists.
    public func remove(_ item: String) throws {
        let status = SecItemDelete(query(item) as CFDictionary)
        guard status == errSecSuccess || status == errSecItemNotFound else {
            throw SecureStorageError.unavailable("remove: \(status)")
        }
    }

    private func values(_ data: Data) -> [String: Any] {
        [
            kSecValueData as String: data,
            kSecAttrAccessible as String: kSecAttrAccessibleAfterFirstUnlockThisDeviceOnly,
        ]
    }

    private func query(_ item: String) -> [String: Any] {
        var query: [String: Any] = [
            kSecClass as String: kSecClassGenericPassword, kSecAttrService as String: service,
            kSecAttrAccount as String: item, kSecUseDataProtectionKeychain as String: true,
        ]
        if let accessGroup { query[kSecAttrAccessGroup as String] = accessGroup }
        return query
    }
}
#endif

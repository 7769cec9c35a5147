public import Foundation

/// Where a device keeps its key and its session. Implementations are called from any thread.
public protocol SecureStorage: Sendable {
    /// The bytes of an item. `nil` means that the item certainly does not exist. If it can't be read right now an error is thrown,
    /// because a player whose storage is locked must not be treated as a new one.
    func read(_ item: String) throws -> Data?
    /// Replaces an item in one step: after a failure or a crash it is either the old or the new one.
    func write(_ data: Data, to item: String) throws
    /// Writes an item that does not exist. An existing item stays as it is, also when another process writes it at the same time.
    ///
    /// - Returns: whether this call has written it.
    func add(_ data: Data, as item: String) throws -> Bool
    /// Removes an item. It is not an error if the item does not exist.
    func remove(_ item: String) throws
}

/// Why an item can't be read or written.
public enum SecureStorageError: Error, Sendable, Hashable {
    /// The storage exists but can't be used now: the device is locked, another process holds the lock, or permissions are missing.
    case unavailable(String)
    /// The stored bytes can't be decoded. They are kept as they are.
    case corrupt(String)
}

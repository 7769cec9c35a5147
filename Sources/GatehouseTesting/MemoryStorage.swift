public import Foundation
public import Gatehouse

/// A device's storage in memory, with faults on demand.
public final class MemoryStorage: SecureStorage, @unchecked Sendable {  // Everything is touched with the lock held.
    private let lock = NSLock()
    private var items: [String: Data] = [:]
    private var unreadable = false
    private var unwritable = false

    /// Makes the storage of a device that has never run the game.
    public init() {}

    /// While true, reading throws, as on a device that has not been unlocked since it started.
    public var isUnreadable: Bool {
        get { lock.withLock { unreadable } }
        set { lock.withLock { unreadable = newValue } }
    }

    /// While true, writing and removing throw.
    public var isUnwritable: Bool {
        get { lock.withLock { unwritable } }
        set { lock.withLock { unwritable = newValue } }
    }

    /// The stored items, regardless of the faults.
    public var contents: [String: Data] { lock.withLock { items } }

    /// The item, or nil if there is none.
    public func read(_ item: String) throws -> Data? {
        try lock.withLock {
            guard !unreadable else { throw SecureStorageError.unavailable("locked") }
            return items[item]
        }
    }

    /// Stores an item in the place of the former one.
    public func write(_ data: Data, to item: String) throws {
        try change { $0[item] = data }
    }

    /// Stores an item that does not exist.
    ///
    /// - Returns: false if it exists. Then it stays as it is.
    public func add(_ data: Data, as item: String) throws -> Bool {
        try lock.withLock {
            guard !unwritable else { throw SecureStorageError.unavailable("locked") }
            guard items[item] == nil else { return false }
            items[item] = data
            return true
        }
    }

    /// Removes an item.
    public func remove(_ item: String) throws {
        try change { $0[item] = nil }
    }

    private func change(_ change: (inout [String: Data]) -> Void) throws {
        try lock.withLock {
            guard !unwritable else { throw SecureStorageError.unavailable("locked") }
            change(&items)
        }
    }
}

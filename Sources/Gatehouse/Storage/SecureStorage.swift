public import Foundation

/// Where a device keeps its key and its session. Implementations are called from any thread.
public protocol SecureStorage: Sendable {
    /// The bytes of an item. `nil` says that there surely is none; whatever can't be read right now is thrown, because a
    /// player whose storage is locked must not be taken for a new one.
    func read(_ item: String) throws -> Data?
    /// Puts an item in place of what was there, in one step: after a failure or a crash it is the old or the new one.
    func write(_ data: Data, to item: String) throws
    /// Removes an item. One that isn't there is no failure.
    func remove(_ item: String) throws
}

/// Why an item can't be read or written.
public enum SecureStorageError: Error, Sendable, Hashable {
    /// The storage is there and can't be used now: a locked device, a lock that is held, missing rights.
    case unavailable(String)
    /// What is stored can't be understood. It is kept as it is.
    case corrupt(String)
}

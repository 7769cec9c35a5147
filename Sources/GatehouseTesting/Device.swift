public import Foundation
public import Gatehouse

/// A device's clocks, controlled by a test. Sleepers wake when their time has come.
public final class ManualClock: @unchecked Sendable {  // Everything is touched with the lock held.
    private struct Sleeper {
        let wakesAt: Int64
        let continuation: CheckedContinuation<Void, any Error>
    }

    private let lock = NSLock()
    private var wall: Int64
    private var monotonic: Int64 = 0
    private var sleepers: [Int: Sleeper] = [:]
    private var cancelled: Set<Int> = []
    private var nextSleeper = 0
    private var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []

    /// - Parameter wallMilliseconds: the device's idea of the time, in milliseconds since 1970.
    public init(wallMilliseconds: Int64 = 1_795_219_200_000) {
        wall = wallMilliseconds
    }

    /// The device's idea of the time, in milliseconds since 1970.
    public var wallMilliseconds: Int64 { lock.withLock { wall } }
    /// The time that has passed since the clock was made.
    public var monotonicMilliseconds: Int64 { lock.withLock { monotonic } }

    /// Sets only the wall clock, as a player can.
    public func setWall(_ milliseconds: Int64) { lock.withLock { wall = milliseconds } }

    /// Moves both clocks, and wakes all sleepers whose time has come.
    public func advance(seconds: Double) {
        let woken = lock.withLock {
            wall += Int64(seconds * 1_000)
            monotonic += Int64(seconds * 1_000)
            let due = sleepers.filter { $0.value.wakesAt <= monotonic }
            for number in due.keys { sleepers[number] = nil }
            return due.values.sorted { $0.wakesAt < $1.wakesAt }
        }
        for sleeper in woken { sleeper.continuation.resume() }
    }

    /// Waits until the test has moved the clock this far, or throws when the task is cancelled.
    public func sleep(seconds: Double) async throws {
        let number = lock.withLock {
            nextSleeper += 1
            return nextSleeper
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<Void, any Error>) in
                let ready: [CheckedContinuation<Void, Never>] = lock.withLock {
                    guard cancelled.remove(number) == nil else {
                        continuation.resume(throwing: CancellationError())
                        return []
                    }
                    sleepers[number] = Sleeper(
                        wakesAt: monotonic + Int64(seconds * 1_000), continuation: continuation)
                    let ready = watchers.filter { $0.count <= sleepers.count }.map(\.continuation)
                    watchers.removeAll { $0.count <= sleepers.count }
                    return ready
                }
                for watcher in ready { watcher.resume() }
            }
        } onCancel: {
            let sleeper = lock.withLock {
                if sleepers[number] == nil { cancelled.insert(number) }
                return sleepers.removeValue(forKey: number)
            }
            sleeper?.continuation.resume(throwing: CancellationError())
        }
    }

    /// Waits until the given number of tasks is sleeping, so that moving the clock wakes them.
    public func waitForSleepers(_ count: Int = 1) async {
        await withCheckedContinuation { continuation in
            let isReady = lock.withLock {
                guard sleepers.count < count else { return true }
                watchers.append((count, continuation))
                return false
            }
            if isReady { continuation.resume() }
        }
    }
}

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

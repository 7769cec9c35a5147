import Foundation

/// Keeps a thread of the database busy until a test releases it.
public final class Hold: @unchecked Sendable {  // Everything below the condition is used only with it locked.
    /// Longer than any test takes: a wait of this length is for something that never comes.
    private static let patienceSeconds = 600.0

    private let condition = NSCondition()
    private var isReached = false
    private var isOpen = false

    public init() {}

    /// Waits in a body until ``open()``.
    public func wait() {
        let end = Date(timeIntervalSinceNow: Self.patienceSeconds)
        condition.lock()
        isReached = true
        while !isOpen, condition.wait(until: end) {}
        condition.unlock()
    }

    /// Returns when a body has reached ``wait()``.
    public func reached() async throws {
        let end = ContinuousClock.now + .seconds(Self.patienceSeconds)
        while true {
            let isReached = condition.withLock { self.isReached }
            if isReached { return }
            guard ContinuousClock.now < end else {
                throw TestDatabaseError(description: "No body has come to Hold.wait().")
            }
            try await Task.sleep(for: .milliseconds(1))
        }
    }

    public func open() {
        condition.withLock {
            isOpen = true
            condition.broadcast()
        }
    }
}

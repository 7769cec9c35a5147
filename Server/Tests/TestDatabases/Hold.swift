import Foundation

/// Keeps a thread of the database busy until a test lets it go.
public final class Hold: @unchecked Sendable {  // Everything below the condition is touched only with it locked.
    /// Longer than any test takes: what waits so long waits for what never comes.
    private static let patienceSeconds = 600.0

    private let condition = NSCondition()
    private var isReached = false
    private var isOpen = false

    public init() {}

    /// Called in a body: waits there until ``open()``.
    public func wait() {
        let end = Date(timeIntervalSinceNow: Self.patienceSeconds)
        condition.lock()
        isReached = true
        while !isOpen, condition.wait(until: end) {}
        condition.unlock()
    }

    /// Returns when a body has come to ``wait()``.
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

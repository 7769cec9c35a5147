import Foundation

/// Keeps a thread of the database busy until a test lets it go.
public final class Hold: @unchecked Sendable {  // Everything below the condition is touched only with it locked.
    private let condition = NSCondition()
    private var isReached = false
    private var isOpen = false

    public init() {}

    /// Called in a body: waits there until ``open()``.
    public func wait() {
        condition.lock()
        isReached = true
        while !isOpen { condition.wait() }
        condition.unlock()
    }

    /// Returns when a body has come to ``wait()``.
    public func reached() async throws {
        while true {
            let isReached = condition.withLock { self.isReached }
            if isReached { return }
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

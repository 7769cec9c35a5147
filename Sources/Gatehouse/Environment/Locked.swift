import Foundation

/// A value protected by a lock, so that it can be read without waiting for an actor.
package final class Locked<Value: Sendable>: @unchecked Sendable {  // The value is touched only with the lock held.
    private let lock = NSLock()
    private var value: Value

    package init(_ value: Value) {
        self.value = value
    }

    package func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
        lock.lock()
        defer { lock.unlock() }
        return body(&value)
    }
}

/// Resumes a continuation at most once, however often it is called.
package final class ResumeOnce<Value: Sendable>: Sendable {
    private let continuation: Locked<CheckedContinuation<Value, any Error>?>

    package init(_ continuation: CheckedContinuation<Value, any Error>) {
        self.continuation = Locked(continuation)
    }

    package func resume(_ result: Result<Value, any Error>) {
        let waiting = continuation.withLock { continuation in
            defer { continuation = nil }
            return continuation
        }
        waiting?.resume(with: result)
    }
}

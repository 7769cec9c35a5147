/// Resumes a continuation at most once, however often it is called.
package final class Once<Value: Sendable>: Sendable {
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

import Synchronization

/// Runs one report of each asker at a time, so that an asker with many reports does not fill the queue for all of them.
final class ReportShares: Sendable {
    /// How many reports of one asker may wait; more are refused with ``StorageError/overloaded``.
    private let limit: Int
    /// The waiting reports of each asker that has one running, in order.
    private let waiting = Mutex<[String: [CheckedContinuation<Void, any Error>]]>([:])

    init(limit: Int) {
        self.limit = limit
    }

    func run<Value>(for asker: String, _ body: () async throws -> Value) async throws -> Value {
        try await enter(asker)
        defer { leave(asker) }
        // Its client may have gone meanwhile.
        try Task.checkCancellation()
        return try await body()
    }

    private func enter(_ asker: String) async throws {
        try await withCheckedThrowingContinuation { continuation in
            let answer: Result<Void, any Error>? = waiting.withLock { waiting in
                guard let own = waiting[asker] else {
                    waiting[asker] = []
                    return .success(())
                }
                guard own.count < limit else { return .failure(StorageError.overloaded) }
                waiting[asker]?.append(continuation)
                return nil
            }
            if let answer { continuation.resume(with: answer) }
        }
    }

    private func leave(_ asker: String) {
        let next = waiting.withLock { waiting -> CheckedContinuation<Void, any Error>? in
            guard waiting[asker]?.isEmpty == false else {
                waiting[asker] = nil
                return nil
            }
            return waiting[asker]?.removeFirst()
        }
        next?.resume()
    }
}

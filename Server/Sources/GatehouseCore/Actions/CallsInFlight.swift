import GatehouseProviders
import GatehouseSecurity
import GatehouseWire
import Synchronization

/// Keeps the runs of one call apart whose first run uses up something outside of the database. A repetition that arrives while the first
/// is under way waits for it, and finds its outcome afterwards.
///
/// It knows only the runs of this process. On another node a repetition is refused as long as the first run has not stored its outcome.
final class CallsInFlight: Sendable {
    /// How many repetitions of one call may wait.
    static let limit = 8

    /// Identifies a call by what identifies its stored outcome.
    private struct Name: Hashable {
        let app: AppID
        let owner: Idempotency.Owner
        let key: String

        /// Nil for a call that can't be repeated.
        init?(_ once: CallIdentity) {
            guard let call = once.call, let key = call.key, let owner = once.owner else { return nil }
            (app, self.owner, self.key) = (call.app, owner, key)
        }
    }

    private struct Waiter {
        let number: Int
        let continuation: CheckedContinuation<Void, any Error>
    }

    private struct State {
        /// The waiting repetitions of each call that has a run under way, in order.
        var waiters: [Name: [Waiter]] = [:]
        var lastNumber = 0
    }

    private let state = Mutex(State())

    /// Runs a body when no other run of the call is under way. A call without an idempotency key has no other run.
    ///
    /// - Throws: ``IdentityFailure/busy`` when too many wait, or what the body throws.
    func alone<Value>(_ once: CallIdentity, _ body: () async throws -> Value) async throws -> Value {
        guard let name = Name(once) else { return try await body() }
        try await enter(name)
        defer { leave(name) }
        return try await body()
    }

    /// The number of repetitions of a call that wait.
    func waiting(for once: CallIdentity) -> Int {
        guard let name = Name(once) else { return 0 }
        return state.withLock { $0.waiters[name]?.count ?? 0 }
    }

    private func enter(_ name: Name) async throws {
        let number = state.withLock { state in
            state.lastNumber += 1
            return state.lastNumber
        }
        try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                let answer: Result<Void, any Error>? = state.withLock { state in
                    guard let waiters = state.waiters[name] else {
                        state.waiters[name] = []
                        return .success(())
                    }
                    guard waiters.count < Self.limit else { return .failure(IdentityFailure.busy) }
                    // A cancellation either is seen here, or finds the waiter in the list.
                    guard !Task.isCancelled else { return .failure(CancellationError()) }
                    state.waiters[name]?.append(Waiter(number: number, continuation: continuation))
                    return nil
                }
                if let answer { continuation.resume(with: answer) }
            }
        } onCancel: {
            let waiter = state.withLock { state -> Waiter? in
                let place = state.waiters[name]?.firstIndex { $0.number == number }
                return place.flatMap { state.waiters[name]?.remove(at: $0) }
            }
            waiter?.continuation.resume(throwing: CancellationError())
        }
    }

    private func leave(_ name: Name) {
        let next = state.withLock { state -> Waiter? in
            guard state.waiters[name]?.isEmpty == false else {
                state.waiters[name] = nil
                return nil
            }
            return state.waiters[name]?.removeFirst()
        }
        next?.continuation.resume()
    }
}

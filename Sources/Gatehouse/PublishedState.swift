import GatehouseWire

/// What can be read without waiting for the actor, and who listens to its changes.
final class PublishedState: Sendable {
    struct Snapshot: Sendable {
        var state = AuthState.restoring
        var session: StoredSession?
        /// Whether ``session`` was accepted by the server since the start.
        var isSignedIn = false
        var standing: Standing?
    }

    private struct Shared {
        var snapshot = Snapshot()
        var listeners: [Int: AsyncStream<AuthState>.Continuation] = [:]
        var nextListener = 0
    }

    private let shared = Locked(Shared())

    var snapshot: Snapshot { shared.withLock { $0.snapshot } }

    func update(_ change: (inout Snapshot) -> Void) {
        shared.withLock { shared in
            let before = shared.snapshot.state
            change(&shared.snapshot)
            guard shared.snapshot.state != before else { return }
            for listener in shared.listeners.values { listener.yield(shared.snapshot.state) }
        }
    }

    /// A stream for one listener: the state as it is now, then each change.
    func states() -> AsyncStream<AuthState> {
        let (stream, continuation) = AsyncStream.makeStream(of: AuthState.self)
        let number = shared.withLock { shared in
            shared.nextListener += 1
            shared.listeners[shared.nextListener] = continuation
            continuation.yield(shared.snapshot.state)
            return shared.nextListener
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.shared.withLock { $0.listeners.removeValue(forKey: number) }
        }
        return stream
    }

    func finish() {
        let listeners = shared.withLock { shared in
            defer { shared.listeners = [:] }
            return Array(shared.listeners.values)
        }
        for listener in listeners { listener.finish() }
    }
}

import Synchronization

/// Holds up tasks until a test lets them go on. A cancelled task goes on at once.
public final class Gate: Sendable {
    private let state = Mutex<(isOpen: Bool, waiters: [AsyncStream<Void>.Continuation])>((false, []))

    public init() {}

    public func wait() async {
        // A stream of its own, because a cancelled reader ends the stream for all its readers.
        let (stream, end) = AsyncStream.makeStream(of: Void.self)
        let isOpen = state.withLock { state in
            if !state.isOpen { state.waiters.append(end) }
            return state.isOpen
        }
        guard !isOpen else { return }
        for await _ in stream {}
    }

    public func open() {
        let waiters = state.withLock { state in
            defer { state = (true, []) }
            return state.waiters
        }
        for waiter in waiters { waiter.finish() }
    }
}

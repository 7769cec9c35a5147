import Synchronization

/// The hosts that the runners of this node are calling. Each is called by one runner at a time, whichever apps the jobs are of, so that a
/// host that does not answer takes one runner, and not all of them.
final class JobPlaces: Sendable {
    private struct State {
        var hosts: Set<String> = []
        var lane: String?
    }

    private let state = Mutex(State())

    /// Takes a host; false when another runner has it.
    func take(_ host: String) -> Bool {
        state.withLock { $0.hosts.insert(host).inserted }
    }

    func leave(_ host: String) {
        _ = state.withLock { $0.hosts.remove(host) }
    }

    /// The lane that has had the last turn on this node. The next turn is that of the lane after it.
    var lastLane: String? { state.withLock { $0.lane } }

    func turn(to lane: String) {
        state.withLock { $0.lane = lane }
    }
}

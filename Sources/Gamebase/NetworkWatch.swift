import Gatehouse

/// The device's network as a monitor of the system reports it, and the observers of its changes.
final class NetworkWatch: Sendable {
    /// They are called on the main thread, once for each change, in its order.
    let observers: EventCenter.Handlers<NetworkStatus>
    private let last = Locked<NetworkStatus>(.ReachabilityIsNotDefined)
    private let changes: AsyncStream<NetworkStatus>.Continuation

    init() {
        let observers = EventCenter.Handlers<NetworkStatus>()
        let (stream, changes) = AsyncStream.makeStream(of: NetworkStatus.self)
        self.observers = observers
        self.changes = changes
        Task { for await status in stream { await observers.send(status) } }
    }

    deinit { changes.finish() }

    /// The status that was reported last.
    var status: NetworkStatus { last.withLock { $0 } }

    /// Takes a report of the monitor. The first one tells what the network is, and is no change of it; a monitor also reports changes
    /// that leave the status as it is, such as another Wi-Fi.
    func report(_ status: NetworkStatus) {
        last.withLock { last in
            guard status != last else { return }
            // The lock keeps the order of concurrent reports.
            if last != .ReachabilityIsNotDefined { changes.yield(status) }
            last = status
        }
    }
}

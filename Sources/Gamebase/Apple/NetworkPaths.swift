#if canImport(Network)
import Dispatch
import Gatehouse
import Network

/// Monitors the system's network paths, starting with the first query or with the start.
final class NetworkPaths: @unchecked Sendable {  // The monitor is set up once, and calls back on its own queue.
    static let shared = NetworkPaths()

    private let monitor = NWPathMonitor()
    private let last = Locked<NetworkStatus>(.ReachabilityIsNotDefined)

    var status: NetworkStatus { last.withLock { $0 } }

    private init() {
        monitor.pathUpdateHandler = { [last] path in
            let status = Self.status(of: path)
            last.withLock { $0 = status }
        }
        monitor.start(queue: DispatchQueue(label: "gatehouse.network"))
    }

    private static func status(of path: NWPath) -> NetworkStatus {
        guard path.status == .satisfied else { return .NotReachable }
        return path.usesInterfaceType(.cellular) ? .ReachableViaWWAN : .ReachableViaWifi
    }
}
#endif

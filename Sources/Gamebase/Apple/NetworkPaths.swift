#if canImport(Network)
import Dispatch
import Gatehouse
import Network

/// Follows the paths that the system has to the network, from the first question or the start on.
final class NetworkPaths: @unchecked Sendable {  // The monitor is set up once, and calls back on a queue of its own.
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

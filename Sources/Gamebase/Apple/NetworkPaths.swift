#if canImport(Network)
import Dispatch
import Network

/// Monitors the system's network paths, starting with the first query or with the start.
final class NetworkPaths: @unchecked Sendable {  // The monitor is set up once, and calls back on its own queue.
    static let shared = NetworkPaths()

    let watch = NetworkWatch()
    private let monitor = NWPathMonitor()

    private init() {
        monitor.pathUpdateHandler = { [watch] path in watch.report(Self.status(of: path)) }
        monitor.start(queue: DispatchQueue(label: "gatehouse.network"))
    }

    private static func status(of path: NWPath) -> NetworkStatus {
        guard path.status == .satisfied else { return .NotReachable }
        return path.usesInterfaceType(.cellular) ? .ReachableViaWWAN : .ReachableViaWifi
    }
}
#endif

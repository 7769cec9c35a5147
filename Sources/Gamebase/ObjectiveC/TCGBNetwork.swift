// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
import Gatehouse

/// A device's kind of network.
#if canImport(ObjectiveC)
@objc
#endif
public enum NetworkStatus: Int, Sendable, CaseIterable {
    /// The network is not known yet.
    case ReachabilityIsNotDefined = -100
    /// There is no network.
    case NotReachable = -1
    /// A mobile network.
    case ReachableViaWWAN = 0
    /// Any other network, such as Wi-Fi or a cable.
    case ReachableViaWifi = 1
}

/// The device's current network. Whether the server can be reached is shown by calls and by the event `observerNetwork`.
#if canImport(ObjectiveC)
@objc(TCGBNetwork) @objcMembers
#endif
public final class TCGBNetwork: NSObject {
    /// The kind of network that the device has now.
    public static func type() -> NetworkStatus {
        #if canImport(Network)
        NetworkPaths.shared.watch.status
        #else
        NetworkInterfaces.status(in: NetworkInterfaces.system)
        #endif
    }

    /// The name of the value of ``type()``.
    public static func typeName() -> String { "\(type())" }

    /// False when there is certainly no network. If the network is not known it is true, and a call finds out.
    public static func isConnected() -> Bool { type() != .NotReachable }

    /// The system's monitor of its network; nil on systems that report no changes.
    private static var watch: NetworkWatch? {
        #if canImport(Network)
        NetworkPaths.shared.watch
        #else
        nil
        #endif
    }

    /// Adds a handler for changes of the device's network. It is called on the main thread.
    ///
    /// - Returns: whether the handler was added: false on Linux, which reports no changes.
    @available(*, deprecated, message: "Use TCGBGamebase.addEventHandler(_:) and its category observerNetwork.")
    @discardableResult
    public static func addObserverOnChangedNetworkStatus(handler: @escaping NetworkChangedHandler) -> Bool {
        watch?.observers.add(HandlerToken(handler)) { handler($0) } != nil
    }

    /// Removes a handler that was added with ``addObserverOnChangedNetworkStatus(handler:)``.
    ///
    /// - Returns: false if there is no such handler.
    @available(*, deprecated, message: "Use TCGBGamebase.removeEventHandler(_:).")
    @discardableResult
    public static func removeObserverOnChangedNetworkStatus(handler: @escaping NetworkChangedHandler) -> Bool {
        watch?.observers.remove(HandlerToken(handler)) ?? false
    }
}

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

/// The network interfaces that Linux shows as folders.
enum NetworkInterfaces {
    static let system = URL(fileURLWithPath: "/sys/class/net")

    /// Not defined on systems without that folder.
    static func status(in folder: URL) -> NetworkStatus {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            return .ReachabilityIsNotDefined
        }
        // A tunnel reports its state as unknown, and so does the loopback interface, which leads nowhere.
        let up = names.filter { name in
            let state = try? String(contentsOf: folder.appendingPathComponent("\(name)/operstate"), encoding: .utf8)
            let isUp = ["up", "unknown"].contains(state?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "down")
            return isUp && name != "lo"
        }
        guard !up.isEmpty else { return .NotReachable }
        return up.allSatisfy { $0.hasPrefix("ww") } ? .ReachableViaWWAN : .ReachableViaWifi
    }
}

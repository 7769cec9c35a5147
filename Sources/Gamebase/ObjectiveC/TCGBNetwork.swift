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
    public static func type() -> NetworkStatus {
        #if canImport(Network)
        NetworkPaths.shared.status
        #else
        NetworkInterfaces.status(in: NetworkInterfaces.system)
        #endif
    }

    /// The name of the value of ``type()``.
    public static func typeName() -> String { "\(type())" }

    /// False when there is certainly no network. If the network is not known it is true, and a call finds out.
    public static func isConnected() -> Bool { type() != .NotReachable }
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

// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import Gatehouse

/// What kind of network a device has.
#if canImport(ObjectiveC)
@objc
#endif
public enum NetworkStatus: Int, Sendable, CaseIterable {
    /// Nothing is known yet.
    case ReachabilityIsNotDefined = -100
    case NotReachable = -1
    /// A mobile network.
    case ReachableViaWWAN = 0
    /// Any other network: a wireless one at home, a cable.
    case ReachableViaWifi = 1
}

/// The network that the device has now. Whether the server can be reached, calls tell, and the event `observerNetwork`.
#if canImport(ObjectiveC)
@objc(TCGBNetwork) @objcMembers
#endif
public final class TCGBNetwork: NSObject {
    #if canImport(ObjectiveC)
    @objc(type)
    #endif
    public static func type() -> NetworkStatus {
        #if canImport(Network)
        NetworkPaths.shared.status
        #else
        NetworkInterfaces.status(in: NetworkInterfaces.system)
        #endif
    }

    /// The name of what ``type()`` says.
    public static func typeName() -> String { "\(type())" }

    /// False when it is known that there is none: where nothing is known, a call will tell.
    public static func isConnected() -> Bool { type() != .NotReachable }
}

/// The network interfaces that Linux shows as folders.
enum NetworkInterfaces {
    static let system = URL(fileURLWithPath: "/sys/class/net")

    /// Not defined where there is no such folder.
    static func status(in folder: URL) -> NetworkStatus {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
            return .ReachabilityIsNotDefined
        }
        // A tunnel says of itself that its state is unknown, and so does the loop, which leads nowhere.
        let up = names.filter { name in
            let state = try? String(contentsOf: folder.appendingPathComponent("\(name)/operstate"), encoding: .utf8)
            let isUp = ["up", "unknown"].contains(state?.trimmingCharacters(in: .whitespacesAndNewlines) ?? "down")
            return isUp && name != "lo"
        }
        guard !up.isEmpty else { return .NotReachable }
        return up.allSatisfy { $0.hasPrefix("ww") } ? .ReachableViaWWAN : .ReachableViaWifi
    }
}

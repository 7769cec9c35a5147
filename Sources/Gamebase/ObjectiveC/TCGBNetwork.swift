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

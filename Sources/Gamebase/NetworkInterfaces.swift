import Foundation

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

import Foundation

/// The name of the device's model, such as `iPhone17,2`.
enum DeviceModel {
    /// Nil on systems that have no such name.
    static var current: String? {
        #if os(macOS)
        var size = 0
        guard sysctlbyname("hw.model", nil, &size, nil, 0) == 0, size > 0 else { return nil }
        var name = [UInt8](repeating: 0, count: size)
        guard sysctlbyname("hw.model", &name, &size, nil, 0) == 0 else { return nil }
        return String(decoding: name.prefix { $0 != 0 }, as: UTF8.self)
        #elseif os(iOS) || os(tvOS) || os(visionOS)
        ProcessInfo.processInfo.environment["SIMULATOR_MODEL_IDENTIFIER"] ?? machine
        #else
        nil
        #endif
    }

    /// The hardware, as the system's kernel calls it.
    static var machine: String? {
        var system = utsname()
        guard uname(&system) == 0 else { return nil }
        return withUnsafeBytes(of: &system.machine) { bytes in String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
        }
    }
}

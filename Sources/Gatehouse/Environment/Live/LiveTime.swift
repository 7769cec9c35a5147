import Foundation

/// The device's own time, for what only a device has: a browser that comes back, a system that says nothing.
enum LiveTime {
    /// Nanoseconds that only go forward.
    static var nanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// False when the task was cancelled meanwhile.
    static func sleep(seconds: UInt64) async -> Bool {
        do {
            try await Task.sleep(nanoseconds: seconds * 1_000_000_000)
            return true
        } catch {
            return false
        }
    }
}

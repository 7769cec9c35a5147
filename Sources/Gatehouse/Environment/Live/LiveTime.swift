import Foundation

/// Real time for events that only a device has: a browser that comes back, or a system handler that stays silent.
enum LiveTime {
    /// A monotonic clock in nanoseconds.
    static var nanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Returns false when the task was cancelled during the sleep.
    static func sleep(seconds: UInt64) async -> Bool {
        do {
            try await Task.sleep(nanoseconds: seconds * 1_000_000_000)
            return true
        } catch {
            return false
        }
    }
}

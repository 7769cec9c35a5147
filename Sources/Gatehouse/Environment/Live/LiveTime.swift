/// Real time for events that only a device has: a browser that comes back, or a system handler that stays silent.
enum LiveTime {
    /// The device's monotonic clock, which goes on while the device sleeps.
    static let clock = ContinuousClock()

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

/// A clock that no player can set, and that goes on while the device sleeps. A clock that stands still meanwhile would take an access
/// token for fresh that has expired in a pocket. `SuspendingClock` stands still, and so does `DispatchTime`, so neither conforms.
package protocol SleepCountingClock: Clock where Duration == Swift.Duration {}

extension ContinuousClock: SleepCountingClock {}

extension SleepCountingClock {
    /// Measures the milliseconds since this call.
    func stopwatch() -> @Sendable () -> Int64 {
        let begin = now
        return {
            let (seconds, attoseconds) = begin.duration(to: now).components
            return seconds &* 1_000 &+ attoseconds / 1_000_000_000_000_000
        }
    }
}

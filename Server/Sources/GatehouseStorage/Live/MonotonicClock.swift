import Foundation

/// For how long a connection is not tried again, and how long a lost transaction waits: durations of the engines, which no
/// rule and no test depends on.
enum MonotonicClock {
    static var nanoseconds: UInt64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return UInt64(time.tv_sec) * 1_000_000_000 + UInt64(time.tv_nsec)
    }
}

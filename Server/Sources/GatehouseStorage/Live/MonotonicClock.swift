import Foundation

/// For how long a connection is not tried again, and how long a lost transaction waits: durations of the engines, which no
/// rule and no test depends on.
enum MonotonicClock {
    static var nanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

import Foundation

/// Measures the engines' own back-off delays. Nothing observable depends on it.
enum MonotonicClock {
    static var nanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }
}

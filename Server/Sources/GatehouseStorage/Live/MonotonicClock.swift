import Dispatch
import GatehousePlatform

/// Measures the engines' own back-off delays. Nothing observable depends on it.
enum MonotonicClock {
    static var nanoseconds: UInt64 { DispatchTime.now().uptimeNanoseconds }

    /// Runs a short body after a while, on a thread of its own.
    static func after(microseconds: Int, _ body: @escaping @Sendable () -> Void) {
        DispatchQueue.global().asyncAfter(deadline: .now() + .microseconds(microseconds), execute: body)
    }
}

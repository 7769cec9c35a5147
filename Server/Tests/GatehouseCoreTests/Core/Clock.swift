import GatehouseSecurity
import Synchronization

/// A clock that stands still until a test moves it.
final class Clock: Sendable {
    /// 2026-11-21T00:00:00Z
    private let time = Mutex<Int64>(1_795_219_200_000)

    var now: Moment { Moment(milliseconds: time.withLock { $0 }) }
    func advance(milliseconds: Int64) { time.withLock { $0 += milliseconds } }
    func advance(seconds: Int64) { advance(milliseconds: seconds * 1_000) }
    func advance(days: Int64) { advance(seconds: days * 86_400) }

    func `in`(seconds: Int64) -> Int64 { now.adding(seconds: seconds).milliseconds }
}

/// The server's time, as its answers tell it. The device's wall clock counts only until the first answer; from then on the
/// monotonic clock carries the time, which no player can set.
final class ServerClock: Sendable {
    private let environment: Gatehouse.Environment
    private let offset = Locked<Int64?>(nil)

    init(_ environment: Gatehouse.Environment) {
        self.environment = environment
    }

    /// Milliseconds since 1970.
    var now: Int64 {
        guard let offset = offset.withLock({ $0 }) else { return environment.wallMilliseconds() }
        return environment.monotonicMilliseconds() &+ offset
    }

    func adopt(_ serverDate: Int64) {
        let monotonic = environment.monotonicMilliseconds()
        offset.withLock { $0 = serverDate &- monotonic }
    }
}

/// The server's time, taken from its answers. The device's wall clock is used only until the first answer. From then on the monotonic
/// clock measures the time, because a player can't set it.
final class ServerClock: Sendable {
    private let environment: GatehouseClient.Environment
    private let offset = Locked<Int64?>(nil)

    init(_ environment: GatehouseClient.Environment) {
        self.environment = environment
    }

    /// Milliseconds since 1970.
    var now: Int64 {
        guard let offset = offset.withLock({ $0 }) else { return environment.wallMilliseconds() }
        return environment.monotonicMilliseconds() &+ offset
    }

    func synchronize(with serverDate: Int64) {
        let monotonic = environment.monotonicMilliseconds()
        offset.withLock { $0 = serverDate &- monotonic }
    }
}

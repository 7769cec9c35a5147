import GatehouseSecurity
import Synchronization

/// How fast the pages of one session may follow each other. A person never notices, and an operator's script can't take the processor
/// from players.
///
/// The generic cell rate algorithm: each page moves the moment up to which the session has used its share.
final class ConsolePace: Sendable {
    /// The share: a page each interval, and this many at once.
    private static let burst: UInt64 = 20
    /// A page that would have to wait longer is refused, because waiting requests pile up.
    private static let longestWait: UInt64 = 5_000_000_000
    /// From this number on, sessions that have used nothing lately are forgotten.
    private static let remembered = 1_000

    private let interval: UInt64
    private let now: @Sendable () -> UInt64
    private let pause: @Sendable (_ nanoseconds: UInt64) async throws -> Void
    private let used = Mutex<[String: UInt64]>([:])

    /// - Parameters:
    ///   - pagesPerSecond: 0 for no limit.
    ///   - now: a monotonic clock in nanoseconds.
    ///   - pause: waits.
    init(
        pagesPerSecond: Int, now: @escaping @Sendable () -> UInt64,
        pause: @escaping @Sendable (_ nanoseconds: UInt64) async throws -> Void
    ) {
        interval = pagesPerSecond > 0 ? 1_000_000_000 / UInt64(pagesPerSecond) : 0
        self.now = now
        self.pause = pause
    }

    /// How many sessions are remembered.
    var count: Int { used.withLock { $0.count } }

    /// Waits until a session's next page may begin.
    func wait(_ session: String) async throws {
        guard interval > 0 else { return }
        let delay = delay(session)
        guard delay <= Self.longestWait else { throw Refusal.tooManyRequests(retryAfterSeconds: 5) }
        if delay > 0 { try await pause(delay) }
    }

    /// How long a session's page has to wait that is asked for now, in nanoseconds.
    private func delay(_ session: String) -> UInt64 {
        let now = now()
        return used.withLock { used in
            if used.count >= Self.remembered { used = used.filter { $0.value > now } }
            let next = max(used[session] ?? now, now) &+ interval
            let ahead = next &- now
            let delay = ahead > interval * Self.burst ? ahead - interval * Self.burst : 0
            // A refused page does not count.
            if delay <= Self.longestWait { used[session] = next }
            return delay
        }
    }
}

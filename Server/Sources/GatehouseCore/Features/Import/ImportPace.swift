/// Holds an import to so many records a second. Time that a batch has lost is not made up for, so that the server never gets more at once.
package struct ImportPace {
    private let rate: Int?
    private let clock: @Sendable () -> UInt64
    /// When the next batch may begin.
    private var next: UInt64

    /// - Parameter rate: nil for as many as there can be.
    package init(_ rate: Int?, clock: @escaping @Sendable () -> UInt64) {
        self.rate = rate
        self.clock = clock
        next = clock()
    }

    /// How many records a batch has at most. None is for more than a second, because an import that waits longer than its lease would lose
    /// its run.
    package func size(atMost limit: Int) -> Int { min(rate ?? limit, limit) }

    /// How many nanoseconds to wait after a batch.
    package mutating func wait(after records: Int) -> UInt64 {
        guard let rate, rate > 0 else { return 0 }
        let now = clock()
        let (whole, rest) = UInt64(max(0, records)).quotientAndRemainder(dividingBy: UInt64(rate))
        next = max(next &+ whole &* 1_000_000_000 &+ rest &* 1_000_000_000 / UInt64(rate), now)
        return next - now
    }
}

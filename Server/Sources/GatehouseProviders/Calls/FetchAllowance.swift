/// Limits how often a document is fetched again because something is missing in it: a few times at once, then every twenty seconds.
/// Scheduled renewals are not counted, so that neither uses up the other's allowance.
package struct FetchAllowance: Sendable {
    private static let burst = 3
    private static let refillNanoseconds: UInt64 = 20_000_000_000

    private var left = burst
    private var filledAt: UInt64 = 0

    package init() {}

    /// Uses one fetch of the allowance, if one is left.
    package mutating func take(at now: UInt64) -> Bool {
        let refills = (now &- filledAt) / Self.refillNanoseconds
        if left == Self.burst || refills >= UInt64(Self.burst - left) {
            left = Self.burst
            filledAt = now
        } else {
            left += Int(refills)
            filledAt &+= refills * Self.refillNanoseconds
        }
        guard left > 0 else { return false }
        left -= 1
        return true
    }

    /// Returns a fetch that was not made.
    package mutating func giveBack() { left = min(left + 1, Self.burst) }
}

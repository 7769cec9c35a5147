import GatehouseSecurity

/// How fast an import is, and how long it takes at this speed.
package struct ImportSpeed: Sendable, Hashable {
    package let recordsPerSecond: Int
    /// Nil if nobody knows how many records the file has.
    package let secondsLeft: UInt64?

    /// The longest time that is said.
    private static let mostSeconds = 1e9

    /// - Parameters:
    ///   - read: how many records were read in the time.
    ///   - left: how many are left.
    init?(read: Int, since begin: Moment, until end: Moment, left: Int?) {
        let (milliseconds, overflow) = end.milliseconds.subtractingReportingOverflow(begin.milliseconds)
        guard !overflow, milliseconds > 0, read > 0 else { return nil }
        let perSecond = Double(read) * 1_000 / Double(milliseconds)
        recordsPerSecond = Int(min(perSecond, Self.mostSeconds).rounded())
        secondsLeft = left.map { UInt64(min(Double($0) / perSecond, Self.mostSeconds).rounded(.up)) }
    }
}

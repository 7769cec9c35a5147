/// The time of a request. It is read once at the beginning and passed on, so that one request uses only one time.
public struct Moment: Sendable, Hashable, Comparable {
    /// Milliseconds since 1970, UTC.
    public let milliseconds: Int64

    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    public static func < (earlier: Moment, later: Moment) -> Bool { earlier.milliseconds < later.milliseconds }

    /// This moment moved by a number of seconds. It saturates: a lifetime of a thousand years means for ever, and must not trap.
    public func adding(seconds: Int64) -> Moment {
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow else { return Moment(milliseconds: seconds < 0 ? .min : .max) }
        let (sum, sumOverflow) = milliseconds.addingReportingOverflow(product)
        return Moment(milliseconds: sumOverflow ? (product < 0 ? .min : .max) : sum)
    }
}

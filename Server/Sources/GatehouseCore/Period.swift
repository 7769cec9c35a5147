package import GatehouseSecurity
import GatehouseStorage

/// A period that includes both its first and its last moment.
package struct Period: Sendable, Hashable {
    package let begin: Moment
    package let end: Moment

    /// - Throws: 3 when it ends before it begins.
    package init(begin: Moment, end: Moment) throws {
        guard begin <= end else { throw Refusal.parameter("end", "The end lies before the beginning.") }
        self.begin = begin
        self.end = end
    }

    /// A condition that an id beginning with its time falls into this period.
    func holds(_ id: SQL) -> SQL {
        let past = Moment(milliseconds: end.milliseconds.addingReportingOverflow(1).partialValue)
        return "\(id) >= \(TimeOrderedID.firstSession(at: begin)) AND \(id) < \(TimeOrderedID.firstSession(at: past))"
    }
}

import GatehousePlatform
package import GatehouseSecurity

/// What a number of an exported column is. The names of columns with times end alike.
package enum ExportedNumber: Sendable, Hashable {
    /// The beginning of a day, UTC.
    case day(Moment)
    case moment(Moment)
    case other

    package init(_ number: Int64, in column: String) {
        self =
            if column == "active_day" {
                .day(Moment(milliseconds: number.multipliedReportingOverflow(by: 86_400_000).partialValue))
            } else if column.ends(with: "_at") || column.ends(with: "_until") {
                .moment(Moment(milliseconds: number))
            } else {
                .other
            }
    }
}

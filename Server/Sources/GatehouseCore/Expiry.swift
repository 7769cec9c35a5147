import GatehouseSecurity
import GatehouseStorage

/// How long the rows of a table live. The ``Sweeper`` deletes by these values, and `docs/privacy.md` prints them.
package struct Expiry: Sendable {
    /// What operators read if the deletion fails.
    package let name: String
    package let table: StaticString
    /// What the rows are, as `docs/privacy.md` says it.
    package let rows: String
    /// How long they are kept, as `docs/privacy.md` says it.
    package let kept: String
    let deletion: Deletion

    enum Deletion: Sendable {
        case byTime(ExpiredRows)
        /// For rows that no index finds by their end.
        case byHand(@Sendable (Sweeper, Moment) async throws -> Int)
    }

    /// Rows that a column tells the end of.
    ///
    /// - Parameter since: what the time is counted from, as `docs/privacy.md` says it.
    init(_ name: String, rows: String, since: String, _ expired: ExpiredRows) {
        self.name = name
        self.rows = rows
        table = expired.table
        let seconds = expired.keptSeconds
        kept = seconds == 0 ? "until \(since)" : "\(Self.duration(seconds)) after \(since)"
        deletion = .byTime(expired)
    }

    /// Rows that need a search of their own.
    init(
        _ name: String, _ table: StaticString, rows: String, kept: String,
        byHand delete: @escaping @Sendable (Sweeper, Moment) async throws -> Int
    ) {
        self.name = name
        self.table = table
        self.rows = rows
        self.kept = kept
        deletion = .byHand(delete)
    }

    private static func duration(_ seconds: Int64) -> String {
        let units: [(String, Int64)] = [("day", 86_400), ("hour", 3_600), ("minute", 60)]
        let (unit, length) = units.first { seconds % $0.1 == 0 } ?? ("second", 1)
        let count = seconds / length
        return count == 1 ? "1 \(unit)" : "\(count) \(unit)s"
    }
}

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

/// The rows of a table that are over, and their deletion.
struct ExpiredRows: Sendable {
    /// The column with a row's time, and what its values mean.
    enum Time: Sendable {
        /// A moment in milliseconds. A row is still kept in the last one.
        case milliseconds(StaticString)
        /// The first millisecond in which the row is over.
        case deadline(StaticString)
        /// Whole minutes and hours since 1970.
        case minutes(StaticString)
        case hours(StaticString)
        /// Ids that begin with the moment of their making (``TimeOrderedID``).
        case ids(StaticString)
    }

    enum Index: Sendable, Hashable {
        case primaryKey
        case named(String)
    }

    let table: StaticString
    /// The columns of the primary key.
    let key: StaticString
    let time: Time
    /// Which of the rows end at all; nil for all that have a time.
    var condition: StaticString?
    /// How long a row is kept after its time.
    var keptSeconds: Int64 = 0
    /// The index that finds the rows by their time; nil for a table of few rows.
    let index: Index?
    /// Where PostgreSQL keeps the rows in partitions, and drops those.
    var divided: DividedTable?

    /// The keys of the rows that are over, oldest first.
    func keys(at moment: Moment, limit: Int) -> SQL {
        let column = Self.text(time.column)
        let condition: SQL = self.condition.map { "\(Self.text($0)) AND " } ?? ""
        return """
            SELECT \(Self.text(key)) FROM \(Self.text(table))
            WHERE \(condition)\(column) \(time.comparison) \(time.value(at: end(at: moment))) ORDER BY \(column) LIMIT \(limit)
            """
    }

    /// Deletes rows that are over. The number is limited, because every login waits for the transaction.
    ///
    /// - Returns: the number of deleted rows.
    func delete(at moment: Moment, limit: Int, in tx: Transaction) throws -> Int {
        try tx.execute(
            """
            DELETE FROM \(Self.text(table)) WHERE (\(Self.text(key))) IN (
                \(keys(at: moment, limit: limit)))
            """)
    }

    /// The time of the rows that end at a moment.
    func end(at moment: Moment) -> Moment { moment.adding(seconds: -keptSeconds) }

    private static func text(_ name: StaticString) -> SQL { SQL(stringLiteral: "\(name)") }
}

extension ExpiredRows.Time {
    var column: StaticString {
        switch self {
        case .milliseconds(let column), .deadline(let column), .minutes(let column), .hours(let column),
            .ids(let column):
            column
        }
    }

    fileprivate var comparison: SQL {
        if case .deadline = self { "<=" } else { "<" }
    }

    /// The column's smallest value at a moment.
    func value(at moment: Moment) -> SQLValue {
        switch self {
        case .milliseconds, .deadline: .integer(moment.milliseconds)
        case .minutes: .integer(moment.milliseconds / 60_000)
        case .hours: .integer(moment.milliseconds / 3_600_000)
        case .ids: .text(TimeOrderedID.firstEntry(at: moment))
        }
    }
}

import GatehousePlatform

/// A table whose rows PostgreSQL keeps in partitions, one for each period of time, so that old rows leave as a whole and a table of many
/// years is written at its end. SQLite has one table, with the same rows.
///
/// The period follows from a column that grows with time and belongs to the table's key. All times are milliseconds since 1970, UTC.
public struct DividedTable: Sendable {
    enum Column: Sendable {
        /// Minutes since 1970.
        case minutes
        /// Ids of ``TimeOrderedText``.
        case ids
    }

    enum Period: Sendable {
        case hour, day, month
    }

    let name: String
    let column: String
    let kind: Column
    let period: Period

    /// Rows live for minutes.
    public static let spentProofs = DividedTable(
        name: "spent_proofs", column: "minute", kind: .minutes, period: .hour)
    /// Rows live as long as an access token.
    public static let revocations = DividedTable(
        name: "revocations", column: "revocation_id", kind: .ids, period: .day)
    /// Rows live for the months of the setting, or for ever.
    public static let ledger = DividedTable(name: "ledger", column: "entry_id", kind: .ids, period: .month)

    public static let all = [spentProofs, revocations, ledger]

    /// The beginning of a period, counted back from the one that contains a moment.
    ///
    /// - Parameter periods: 0 for that period itself.
    public func beginning(of periods: Int = 0, before milliseconds: Int64) -> Int64 {
        period.beginning(of: milliseconds, shiftedBy: -Int64(periods))
    }

    /// The beginning of the period after the one that contains a moment.
    func end(after milliseconds: Int64) -> Int64 { period.beginning(of: milliseconds, shiftedBy: 1) }

    /// The smallest value of the column at a moment or later.
    func bound(at milliseconds: Int64) -> String {
        switch kind {
        case .minutes: String(milliseconds / 60_000)
        case .ids: TimeOrderedText.first(at: milliseconds)
        }
    }

    /// The time of a value of the column; nil for a text that is no id.
    func milliseconds(of value: String) -> Int64? {
        switch kind {
        case .minutes: Int64(value).flatMap { $0.magnitude < 1 << 40 ? $0 * 60_000 : nil }
        case .ids: TimeOrderedText.milliseconds(of: value)
        }
    }

    /// The name of the partition that begins at a moment, such as `ledger_20261101`. The number keeps the names of its constraints
    /// recognizable (`PostgreSQLFailure`).
    func partitionName(at begin: Int64) -> String {
        "\(name)_\(period.number(at: begin))"
    }
}

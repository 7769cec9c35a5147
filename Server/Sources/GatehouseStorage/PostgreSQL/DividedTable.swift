/// A table whose rows PostgreSQL keeps in partitions, one for each period of time, so that old rows leave as a whole and a table of many
/// years is written at its end. SQLite has one table, with the same rows.
///
/// The period follows from a column that grows with time and belongs to the table's key. All times are milliseconds since 1970, UTC.
public struct DividedTable: Sendable {
    enum Column: Sendable {
        /// Minutes since 1970.
        case minutes
        /// Ids that begin with 48 bits of milliseconds in base 32: `TimeOrderedID` of the server's security.
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

/// The time in ids that grow with it.
private enum TimeOrderedText {
    private static let letters = Array("0123456789abcdefghijklmnopqrstuv".utf8)

    static func first(at milliseconds: Int64) -> String {
        let time = UInt64(clamping: milliseconds) & (1 << 48 - 1)
        let digits = (0..<10).map { letters[Int(time >> (45 - 5 * UInt64($0)) & 31)] }
        return String(decoding: digits, as: UTF8.self) + String(repeating: "0", count: 16)
    }

    static func milliseconds(of id: String) -> Int64? {
        var time: Int64 = 0
        let digits = Array(id.utf8.prefix(10))
        for place in 0..<10 {
            guard place < digits.count else {
                time <<= 5
                continue
            }
            guard let digit = letters.firstIndex(of: digits[place]) else { return nil }
            time = time << 5 | Int64(digit)
        }
        return time < 1 << 48 ? time : nil
    }
}

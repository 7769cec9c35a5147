import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

@testable import GatehouseCore

/// What the sweeper deletes of each table, in the time that `docs/privacy.md` tells.
@Suite struct ExpiryTests {
    /// An entry of the list whose rows have a time.
    struct Entry: Sendable, CustomTestStringConvertible {
        let name: String
        let rows: ExpiredRows
        var testDescription: String { name }
    }

    static let entries = Expiry.all(SessionLifetimes()).compactMap { expiry -> Entry? in
        guard case .byTime(let rows) = expiry.deletion else { return nil }
        return Entry(name: expiry.name, rows: rows)
    }

    private struct Column {
        let name: String
        let type: String
        let isNullable: Bool
    }

    private static func columns(of table: StaticString, _ engine: Engine, in tx: Reader) throws -> [Column] {
        let name = "\(table)"
        let sql: SQL =
            engine == .sqlite
            ? "SELECT name, lower(type), 1 - \"notnull\" FROM pragma_table_info(\(name))"
            : """
            SELECT CAST(column_name AS TEXT), CAST(data_type AS TEXT),
                CAST(CASE is_nullable WHEN 'YES' THEN 1 ELSE 0 END AS BIGINT)
            FROM information_schema.columns WHERE table_schema = 'public' AND table_name = \(name)
            """
        return try tx.rows(sql) { row in
            Column(name: try row[0], type: try row[1], isNullable: try row[2] as Int == 1)
        }
    }

    /// The rows of a test in one table, which differ in every column.
    private struct Table {
        let rows: ExpiredRows
        let columns: [Column]
        private var count: Int64 = 0
        private var name: SQL { SQL(stringLiteral: "\(rows.table)") }
        private var timeColumn: String { "\(rows.time.column)" }

        init(_ rows: ExpiredRows, _ engine: Engine, in tx: Reader) throws {
            self.rows = rows
            columns = try ExpiryTests.columns(of: rows.table, engine, in: tx)
        }

        var hasRowsWithoutEnd: Bool { columns.contains { $0.name == timeColumn && $0.isNullable } }

        /// Adds a row.
        ///
        /// - Parameters:
        ///   - isOther: whether the entry's further condition does not hold.
        /// - Returns: the condition that finds it.
        mutating func insert(at time: SQLValue?, isOther: Bool = false, in tx: Transaction) throws -> SQL {
            count += 1
            let condition = rows.condition.map { "\($0)".split(separator: " = ").map(String.init) }
            var names: [SQL] = []
            var values: [SQLValue] = []
            for column in columns where !column.isNullable || column.name == timeColumn && time != nil {
                let value: SQLValue =
                    switch (column.name, column.type) {
                    case (timeColumn, _): time ?? .null
                    case ("app_id", _): .text((count.isMultiple(of: 2) ? Tables.app : Tables.otherApp).rawValue)
                    case (condition?.first, _) where !isOther:
                        .text(String(condition?.last?.dropFirst().dropLast() ?? ""))
                    case (_, "text"): .text("text-\(count)")
                    case (_, "bigint"): .integer(count)
                    default: .bytes([UInt8(count)])
                    }
                names.append(SQL(stringLiteral: column.name))
                values.append(value)
            }
            let list = { (parts: [SQL], separator: SQL) in
                parts.dropFirst().reduce(parts[0]) { "\($0)\(separator)\($1)" }
            }
            try tx.execute(
                "INSERT INTO \(name) (\(list(names, ", "))) VALUES (\(list(values.map { "\($0)" }, ", ")))")
            return list(zip(names, values).map { "\($0) = \($1)" }, " AND ")
        }

        func has(_ row: SQL, in tx: Reader) throws -> Bool { try tx.count("\(name) WHERE \(row)") == 1 }
    }

    @Test(
        "Rows are deleted when their time is over and not before, the oldest first, up to the limit",
        arguments: Engine.available, entries)
    func delete(engine: Engine, entry: Entry) async throws {
        let rows = entry.rows
        let (unit, isOverAtEnd): (Int64, Bool) =
            switch rows.time {
            case .milliseconds, .ids: (1, false)
            case .deadline: (1, true)
            case .minutes: (60_000, false)
            case .hours: (3_600_000, false)
            }
        let now = Tables.moment
        let end = now.milliseconds - rows.keptSeconds * 1_000
        let time = { @Sendable (units: Int64) in
            rows.time.value(at: Moment(milliseconds: end + (units - (isOverAtEnd ? 0 : 1)) * unit))
        }
        try await Tables.transact(engine) { tx in
            var table = try Table(rows, engine, in: tx)
            let last = try table.insert(at: time(0), in: tx)
            let first = try table.insert(at: time(-2), in: tx)
            let second = try table.insert(at: time(-1), in: tx)
            var kept = [try table.insert(at: time(1), in: tx)]
            if table.hasRowsWithoutEnd { kept.append(try table.insert(at: nil, in: tx)) }
            if rows.condition != nil { kept.append(try table.insert(at: time(-2), isOther: true, in: tx)) }
            let delete = { (limit: Int) in try rows.delete(at: now, limit: limit, in: tx) }
            #expect(try delete(1) == 1)
            #expect(try !table.has(first, in: tx))
            for row in kept + [last, second] { #expect(try table.has(row, in: tx)) }
            #expect(try delete(9) == 2)
            #expect(try delete(9) == 0)
            for row in kept { #expect(try table.has(row, in: tx)) }
        }
    }

    @Test("Jobs that wait, sessions that live and transfer accounts for ever have no end")
    func endless() async throws {
        try await Tables.transact(.sqlite) { tx in
            let endless = try Self.entries.filter { try Table($0.rows, .sqlite, in: tx).hasRowsWithoutEnd }
            #expect(endless.map(\.name) == ["sessions", "transfer accounts", "jobs"])
        }
    }

    @Test("SQLite finds what is over by the index of each entry", arguments: entries)
    func plan(entry: Entry) async throws {
        guard let index = entry.rows.index else { return }
        try await Tables.transact(.sqlite) { tx in
            let statement: SQL = "EXPLAIN QUERY PLAN \(entry.rows.keys(at: Tables.moment, limit: 9))"
            let steps = try tx.rows(statement) { row in try row[3] as String }
            #expect(steps.count == 1, "\(steps)")
            let names =
                switch index {
                case .primaryKey: ["PRIMARY KEY", "INDEX sqlite_autoindex_\(entry.rows.table)_1"]
                case .named(let name): ["INDEX \(name)"]
                }
            let step = try #require(steps.first)
            #expect(step.hasPrefix("SEARCH ") && names.contains { step.contains(" \($0) (") }, "\(step)")
        }
    }
}

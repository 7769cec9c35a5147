import GatehousePlatform

/// Copies every row of one database into another of either engine, such as from SQLite to PostgreSQL.
public enum DatabaseTransfer {
    public struct Summary: Sendable, Hashable {
        public let tables: Int
        public let rows: Int
    }

    /// Copies a database that no server uses into one that has no rows yet. The target gets its schema first, and then all rows in one
    /// transaction, so an interrupted copy leaves it without rows, and can be repeated.
    ///
    /// - Parameters:
    ///   - migrations: the schema of this version, which the source must have.
    ///   - progress: receives messages about the progress.
    /// - Throws: ``DatabaseCopyError``, ``StorageError``.
    public static func copy(
        _ source: DatabaseLocation, to target: DatabaseLocation, migrations: [Migration], progress: (String) -> Void
    ) async throws -> Summary {
        try await requireCurrent(source, migrations)
        try await DatabaseCopy.withOpenAlone(target) { database in _ = try await database.migrate(migrations) }
        let from = try TransferEnd(source)
        let to = try TransferEnd(target)
        try from.begin(writing: false)
        try to.begin(writing: true)
        let tables = try from.tables()
        guard Set(tables.map(\.name)) == Set(try to.tables().map(\.name)) else {
            throw DatabaseCopyError.otherSchema("\(source)")
        }
        for table in tables where try to.count(table) > 0 { throw DatabaseCopyError.holdsData }
        var rows = 0
        for table in tables {
            rows += try copy(table, from: from, to: to, progress: progress)
        }
        try to.analyze()
        try from.end()
        // A server that started after the first rows were read would have written what the target lacks.
        try from.requireAlone()
        try to.end()
        return Summary(tables: tables.count, rows: rows)
    }

    private static func copy(
        _ table: TransferTable, from: TransferEnd, to: TransferEnd, progress: (String) -> Void
    ) throws -> Int {
        var copied = 0
        var last: [SQLValue] = []
        var told = 0
        while true {
            let page = try from.page(of: table, after: last)
            for rows in page.chunks(of: table.rowsPerInsert) { try to.insert(rows, into: table) }
            copied += page.count
            guard let row = page.last, page.count == TransferTable.rowsPerPage else { break }
            last = table.key.map { row[$0] }
            if copied >= told + 100_000 {
                told = copied
                progress("\(table.name): \(copied) copied so far")
            }
        }
        let counts = (try from.count(table), try to.count(table))
        guard counts == (copied, copied) else {
            throw DatabaseCopyError.incomplete(table.name, source: counts.0, target: counts.1)
        }
        if copied > 0 { progress("\(table.name): \(copied) copied") }
        return copied
    }

    private static func requireCurrent(_ source: DatabaseLocation, _ migrations: [Migration]) async throws {
        if let path = source.filePath, !FileManager.default.fileExists(atPath: path) {
            throw DatabaseCopyError.noDatabase(path)
        }
        try await DatabaseCopy.withOpenAlone(source) { database in
            switch try await database.schema(migrations) {
            case .current: return
            case .missing: throw DatabaseCopyError.noDatabase("\(source)")
            case .older: throw DatabaseCopyError.otherSchema("\(source)")
            }
        }
    }
}

extension Array {
    fileprivate func chunks(of size: Int) -> [ArraySlice<Element>] {
        stride(from: 0, to: count, by: size).map { self[$0..<Swift.min($0 + size, count)] }
    }
}

/// A table that is copied, with names from the database's own catalogue.
struct TransferTable {
    static let rowsPerPage = 2_000

    let name: String
    let columns: [String]
    /// The positions of the primary key's columns in ``columns``; of all columns when the table has no primary key.
    let key: [Int]

    /// SQLite takes at most 32,766 values in one statement.
    var rowsPerInsert: Int { Swift.max(1, Swift.min(500, 30_000 / columns.count)) }

    fileprivate var list: String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }
    fileprivate var keyList: String { key.map { "\"\(columns[$0])\"" }.joined(separator: ", ") }
}

/// One of the two databases of a copy: a single connection and a transaction, on the caller's thread.
final class TransferEnd {
    private enum Link {
        case sqlite(SQLiteConnection)
        case postgresql(PostgreSQLConnection)
    }

    private let location: DatabaseLocation
    /// The periods of divided tables that have partitions.
    private var periods: Set<String> = []
    private let link: Link

    init(_ location: DatabaseLocation) throws {
        self.location = location
        link =
            switch location.place {
            case .sqlite(let path): .sqlite(try SQLiteConnection(path: path, isReader: false))
            case .postgresql(let url): .postgresql(try PostgreSQLConnection(url: url, for: .copies))
            }
    }

    private var connection: any Connection {
        switch link {
        case .sqlite(let connection): connection
        case .postgresql(let connection): connection
        }
    }

    private var isPostgreSQL: Bool {
        if case .postgresql = link { true } else { false }
    }

    /// SQLite's lock keeps every other writer out until ``end()``, of the source too.
    func begin(writing: Bool) throws {
        switch link {
        case .sqlite(let connection): try connection.execute("BEGIN IMMEDIATE")
        case .postgresql(let connection):
            connection.begin(
                writing
                    ? "BEGIN ISOLATION LEVEL READ COMMITTED READ WRITE"
                    : "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
        }
    }

    func end() throws {
        switch link {
        case .sqlite(let connection): try connection.execute("COMMIT")
        case .postgresql(let connection): try connection.commit()
        }
    }

    /// Throws when a server or a command has connected to PostgreSQL. SQLite's lock needs no such check.
    func requireAlone() throws {
        guard isPostgreSQL else { return }
        let (text, values) = try PostgreSQLCopy.others.rendered(for: .postgresql)
        guard try integer(text, values) == 0 else {
            throw DatabaseCopyError.inUse("a server that has started meanwhile")
        }
    }

    /// Every table but that of the migrations, each after those that its foreign keys lead to.
    func tables() throws -> [TransferTable] {
        let names = try texts(
            isPostgreSQL
                ? """
                SELECT CAST(relname AS TEXT) FROM pg_class
                WHERE relnamespace = to_regnamespace(current_schema()) AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1
                """
                : "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite~_%' ESCAPE '~' ORDER BY 1"
        ).filter { $0 != "schema_migrations" }
        var parents: [String: Set<String>] = [:]
        for name in names { parents[name] = Set(try self.parents(of: name)).subtracting([name]) }
        var ordered: [String] = []
        while ordered.count < names.count {
            let next = names.filter { !ordered.contains($0) && parents[$0, default: []].isSubset(of: ordered) }
            // Foreign keys in a circle have no order, and no migration makes any.
            guard !next.isEmpty else { throw DatabaseCopyError.otherSchema("\(location)") }
            ordered += next
        }
        return try ordered.map(table)
    }

    private func table(_ name: String) throws -> TransferTable {
        let columns = try texts(
            isPostgreSQL
                ? """
                SELECT CAST(column_name AS TEXT) FROM information_schema.columns
                WHERE table_schema = current_schema() AND table_name = $1 ORDER BY ordinal_position
                """
                : "SELECT name FROM pragma_table_info($1) ORDER BY cid", [.text(name)])
        let key = try texts(
            isPostgreSQL
                ? """
                SELECT CAST(u.column_name AS TEXT) FROM information_schema.key_column_usage u
                JOIN information_schema.table_constraints c
                    ON c.constraint_schema = u.constraint_schema AND c.constraint_name = u.constraint_name
                    AND c.table_name = u.table_name
                WHERE u.table_schema = current_schema() AND u.table_name = $1 AND c.constraint_type = 'PRIMARY KEY'
                ORDER BY u.ordinal_position
                """
                : "SELECT name FROM pragma_table_info($1) WHERE pk > 0 ORDER BY pk", [.text(name)])
        let positions = key.compactMap { columns.firstIndex(of: $0) }
        return TransferTable(name: name, columns: columns, key: positions.isEmpty ? Array(columns.indices) : positions)
    }

    private func parents(of name: String) throws -> [String] {
        try texts(
            isPostgreSQL
                ? """
                SELECT CAST(parent.relname AS TEXT) FROM pg_constraint
                JOIN pg_class parent ON parent.oid = pg_constraint.confrelid
                WHERE pg_constraint.contype = 'f' AND pg_constraint.conrelid = to_regclass($1)
                """
                : "SELECT \"table\" FROM pragma_foreign_key_list($1)", [.text(name)])
    }

    /// The next rows in the order of the primary key.
    ///
    /// - Parameter last: the key of the row before; empty for the first page.
    func page(of table: TransferTable, after last: [SQLValue]) throws -> [[SQLValue]] {
        var text = "SELECT \(table.list) FROM \"\(table.name)\""
        if !last.isEmpty {
            let places = last.indices.map { "$\($0 + 1)" }.joined(separator: ", ")
            text += " WHERE (\(table.keyList)) > (\(places))"
        }
        text += " ORDER BY \(table.keyList) LIMIT \(TransferTable.rowsPerPage)"
        var rows: [[SQLValue]] = []
        _ = try connection.run(text, last) { row in
            rows.append(try table.columns.indices.map { try row.column($0) })
            return true
        }
        return rows
    }

    func insert(_ rows: ArraySlice<[SQLValue]>, into table: TransferTable) throws {
        if case .postgresql(let connection) = link { try makePartitions(for: rows, of: table, on: connection) }
        var text = "INSERT INTO \"\(table.name)\" (\(table.list)) VALUES "
        var place = 0
        for index in rows.indices {
            text += index > rows.startIndex ? ", (" : "("
            for column in table.columns.indices {
                place += 1
                text += column > 0 ? ", $\(place)" : "$\(place)"
            }
            text += ")"
        }
        _ = try connection.run(text, Array(rows.joined())) { _ in true }
    }

    /// Makes the partitions that rows need (``DividedTable``).
    private func makePartitions(
        for rows: ArraySlice<[SQLValue]>, of table: TransferTable, on connection: PostgreSQLConnection
    ) throws {
        guard let divided = DividedTable.all.first(where: { $0.name == table.name }),
            let column = table.columns.firstIndex(of: divided.column)
        else { return }
        for row in rows {
            let value: String
            switch row[column] {
            case .integer(let number): value = String(number)
            case .text(let text): value = text
            default: continue
            }
            guard let milliseconds = divided.milliseconds(of: value),
                periods.insert("\(divided.name) \(divided.beginning(before: milliseconds))").inserted
            else { continue }
            try connection.makePartition(of: divided, holding: milliseconds)
        }
    }

    func count(_ table: TransferTable) throws -> Int {
        try integer("SELECT COUNT(*) FROM \"\(table.name)\"")
    }

    /// Collects the statistics that PostgreSQL plans with: it would do so by itself only minutes after a server has started.
    func analyze() throws {
        if isPostgreSQL { _ = try connection.run("ANALYZE", []) { _ in true } }
    }

    private func integer(_ text: String, _ values: [SQLValue] = []) throws -> Int {
        var found = 0
        _ = try connection.run(text, values) { row in
            found = try row[0]
            return false
        }
        return found
    }

    private func texts(_ text: String, _ values: [SQLValue] = []) throws -> [String] {
        var found: [String] = []
        _ = try connection.run(text, values) { row in
            found.append(try row[0])
            return true
        }
        return found
    }
}

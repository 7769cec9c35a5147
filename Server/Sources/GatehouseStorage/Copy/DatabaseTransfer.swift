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

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

extension DividedTable.Period {
    private static let dayMilliseconds: Int64 = 86_400_000
    private static let hourMilliseconds: Int64 = 3_600_000

    /// The beginning of the period with a moment, or of one that is some periods later.
    func beginning(of milliseconds: Int64, shiftedBy count: Int64) -> Int64 {
        switch self {
        case .hour: return (milliseconds.floorDivided(by: Self.hourMilliseconds) + count) * Self.hourMilliseconds
        case .day: return (milliseconds.floorDivided(by: Self.dayMilliseconds) + count) * Self.dayMilliseconds
        case .month:
            let (year, month, _) = CivilDay.date(of: milliseconds.floorDivided(by: Self.dayMilliseconds))
            let months = year * 12 + month - 1 + count
            let shiftedYear = months.floorDivided(by: 12)
            return CivilDay.number(year: shiftedYear, month: months - shiftedYear * 12 + 1, day: 1)
                * Self.dayMilliseconds
        }
    }

    /// The digits of a period's beginning: year, month and day, and of an hour that, too.
    func number(at begin: Int64) -> Int64 {
        let days = begin.floorDivided(by: Self.dayMilliseconds)
        let (year, month, day) = CivilDay.date(of: days)
        let date = (year * 100 + month) * 100 + day
        return self == .hour ? date * 100 + (begin - days * Self.dayMilliseconds) / Self.hourMilliseconds : date
    }
}

/// One partition of a ``DividedTable``.
struct Partition: Sendable, Hashable {
    let name: String
    /// Nil for the first partition of all, which has the rows from before the table was divided.
    let begin: Int64?
    let end: Int64
    /// Whether its removal has begun and was interrupted. Its rows are invisible already.
    let isLeaving: Bool
}

extension Database {
    /// Makes the partitions for the rows of now and of the next two periods, so that no row is without one. It locks nothing that a
    /// login needs. On SQLite it does nothing.
    ///
    /// - Parameter milliseconds: now.
    public func makePartitions(of tables: [DividedTable] = DividedTable.all, at milliseconds: Int64) async throws {
        let missing = try await read { tx in
            try tables.flatMap { table in
                try tx.missing(Self.begins(of: table, at: milliseconds), of: table).map { (table, $0) }
            }
        }
        for (table, begin) in missing {
            try await transact { tx in
                try (tx.connection as? PostgreSQLConnection)?.makePartition(of: table, holding: begin)
            }
        }
    }

    /// Removes the partitions whose rows are all from before a moment. Nobody who reads or writes the table waits for it. What can't be
    /// removed yet, because a transaction still uses it, is removed by a later call.
    ///
    /// - Returns: whether rows from before that moment may be left, which are to be deleted one by one: always where a table is not
    ///   divided, as on SQLite, and as long as there is a partition from before it was divided.
    public func dropPartitions(of table: DividedTable, before milliseconds: Int64) async throws -> Bool {
        let found = try await read { tx in try tx.partitions(of: table).map { ($0, try tx.detached(from: table)) } }
        guard let (partitions, detached) = found else { return true }
        if !detached.isEmpty || partitions.contains(where: { $0.isLeaving || $0.end <= milliseconds }) {
            try await maintain { connection in try connection.dropPartitions(of: table, before: milliseconds) }
        }
        return partitions.contains { $0.begin == nil && $0.end > milliseconds }
    }

    /// The beginnings of the periods that need a partition now.
    private static func begins(of table: DividedTable, at milliseconds: Int64) -> [Int64] {
        let now = table.beginning(before: milliseconds)
        let next = table.end(after: now)
        return [now, next, table.end(after: next)]
    }
}

extension Reader {
    /// The partitions in chronological order; nil when the table is not divided.
    func partitions(of table: DividedTable) throws -> [Partition]? {
        guard engine == .postgresql else { return nil }
        let rows = try rows(
            """
            SELECT CAST(child.relname AS TEXT), inherited.inhdetachpending, pg_get_expr(child.relpartbound, child.oid)
            FROM pg_class parent LEFT JOIN pg_inherits inherited ON inherited.inhparent = parent.oid
                LEFT JOIN pg_class child ON child.oid = inherited.inhrelid
            WHERE parent.oid = to_regclass(\(table.name)) AND parent.relkind = 'p'
            """
        ) { row in (name: try row[0] as String?, isLeaving: try row[1] as Bool?, bound: try row[2] as String?) }
        guard !rows.isEmpty else { return nil }
        return rows.compactMap { row in
            guard let name = row.name, let bound = row.bound, let (begin, end) = table.period(of: bound) else {
                return nil
            }
            return Partition(name: name, begin: begin, end: end, isLeaving: row.isLeaving ?? false)
        }.sorted { $0.end < $1.end }
    }

    /// The periods with these beginnings that have no partition.
    func missing(_ begins: [Int64], of table: DividedTable) throws -> [Int64] {
        guard let partitions = try partitions(of: table) else { return [] }
        return begins.filter { begin in
            let end = table.end(after: begin)
            return !partitions.contains { ($0.begin ?? .min) < end && begin < $0.end }
        }
    }

    /// Former partitions that were to be dropped. Those that somebody has detached by hand don't count.
    func detached(from table: DividedTable) throws -> [String] {
        try rows(
            """
            SELECT CAST(relname AS TEXT) FROM pg_class
            WHERE relname LIKE \(table.name.replacing("_", with: "\\_") + "\\_%") AND relkind = 'r' AND NOT relispartition
                AND obj_description(oid, 'pg_class') = \(PostgreSQLConnection.leavingMark)
            """
        ) { row in try row[0] }
    }
}

extension DividedTable {
    /// The times of a bound such as `FOR VALUES FROM (MINVALUE) TO ('29730000')`.
    fileprivate func period(of bound: String) -> (begin: Int64?, end: Int64)? {
        let values = bound.split(separator: "'", omittingEmptySubsequences: false)
        switch values.count {
        case 3: return milliseconds(of: String(values[1])).map { (nil, $0) }
        case 5:
            guard let begin = milliseconds(of: String(values[1])), let end = milliseconds(of: String(values[3])) else {
                return nil
            }
            return (begin, end)
        default: return nil
        }
    }
}

extension PostgreSQLConnection {
    /// What a partition's comment says once it is to be dropped.
    static let leavingMark = "Gatehouse drops this table"
    /// The advisory locks of those who make and of those who drop partitions.
    private static let makersLock = 7_305_892
    private static let droppersLock = 7_305_893

    /// Makes the partition for a moment in the transaction that has begun, if there is none. Several nodes may do so at once.
    ///
    /// A new table gets its columns and indexes first and is attached then, because `CREATE TABLE … PARTITION OF` would lock the whole
    /// table against every login.
    func makePartition(of table: DividedTable, holding milliseconds: Int64) throws {
        try change("SET LOCAL lock_timeout = 2000")
        try change("SELECT pg_advisory_xact_lock(\(Self.makersLock))")
        let begin = table.beginning(before: milliseconds)
        guard try !Reader(self, engine: .postgresql).missing([begin], of: table).isEmpty else { return }
        let name = table.partitionName(at: begin)
        try change("CREATE TABLE \(name) (LIKE \(table.name) INCLUDING ALL)")
        try change(
            """
            ALTER TABLE \(table.name) ATTACH PARTITION \(name)
            FOR VALUES FROM ('\(table.bound(at: begin))') TO ('\(table.bound(at: table.end(after: begin)))')
            """)
    }

    /// Drops old partitions outside of a transaction, one node at a time. A wait that takes too long ends it without an error: the next
    /// call goes on where this one has stopped.
    func dropPartitions(of table: DividedTable, before milliseconds: Int64) throws {
        let reader = Reader(self, engine: .postgresql)
        let isFirst = try reader.first("SELECT pg_try_advisory_lock(\(Self.droppersLock))") { row in try row[0] as Bool
        }
        guard isFirst == true else { return }
        defer {
            // Behind a pooler the lock would stay with PostgreSQL's own connection.
            try? change("SELECT pg_advisory_unlock(\(Self.droppersLock))")
            try? receive()
        }
        do {
            let partitions = try reader.partitions(of: table) ?? []
            for partition in partitions where partition.isLeaving {
                try change("ALTER TABLE \(table.name) DETACH PARTITION \(partition.name) FINALIZE")
                try receive()
            }
            for partition in partitions where !partition.isLeaving && partition.end <= milliseconds {
                // After a crash of this process the comment says that the table may be dropped.
                try change("COMMENT ON TABLE \(partition.name) IS '\(Self.leavingMark)'")
                try receive()
                try detach(partition, from: table)
            }
            for name in try reader.detached(from: table) {
                try change("DROP TABLE \(name)")
                try receive()
            }
        } catch StorageError.overloaded {
            return
        }
    }

    private func detach(_ partition: Partition, from table: DividedTable) throws {
        let detach = "ALTER TABLE \(table.name) DETACH PARTITION \(partition.name)"
        guard isDistributed else {
            try change("\(detach) CONCURRENTLY")
            return try receive()
        }
        // Citus can't do it concurrently: there the lock is tried for a moment only.
        let own = try Reader(self, engine: .postgresql).first("SELECT current_setting('lock_timeout')") { row in
            try row[0] as String
        }
        try change("SET lock_timeout = 250")
        defer {
            // Everything else waits as long as the connection's purpose says, which is not the server's default.
            if let own { try? change("SET lock_timeout = '\(own)'") }
            try? receive()
        }
        try change(detach)
        try receive()
    }
}

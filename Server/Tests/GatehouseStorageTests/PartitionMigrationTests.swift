import TestDatabases
import Testing

@testable import GatehouseStorage

/// The migrations that divide tables, with rows of before.
@Suite struct PartitionMigrationTests {
    private static let postgresql = TestDatabases.Engine.available.filter { $0 == .postgresql }
    /// 2026-11-23T05:40:30Z
    private static let now: Int64 = 1_795_412_430_000
    private static let day: Int64 = 86_400_000

    /// Adds what a server adds at a moment.
    private static func write(_ id: UInt8, at milliseconds: Int64, in database: Database) async throws {
        let (begin, name) = (DividedTable.ledger.bound(at: milliseconds).prefix(24), id < 10 ? "0\(id)" : "\(id)")
        try await database.transact { tx in
            try tx.execute(
                "INSERT INTO spent_proofs (minute, proof_id, app_id) VALUES (\(milliseconds / 60_000), \([id]), 'game')"
            )
            try tx.execute(
                """
                INSERT INTO ledger (user_id, app_id, entry_id, event, actor, door, happened_at)
                VALUES ('user', 'game', \(begin + name), 'withdrawal.done', 'player', 'v1', \(milliseconds))
                """)
            try tx.execute(
                """
                INSERT INTO revocations (revocation_id, app_id, user_id, reason, revoked_at)
                VALUES (\(begin + name), 'game', 'user', 'kickedOut', \(milliseconds))
                """)
        }
    }

    private static func content(of database: Database) async throws -> [[String]] {
        var content: [[String]] = []
        for table in ["spent_proofs", "ledger", "revocations"] {
            content.append(
                try await database.rows(SQL(stringLiteral: "SELECT CAST(t AS TEXT) FROM \(table) t ORDER BY 1")) {
                    row in
                    try row[0]
                })
        }
        return content
    }

    private static func partitions(in database: Database) async throws -> [[String]?] {
        try await database.read { tx in
            try DividedTable.all.map { table in try tx.partitions(of: table)?.map(\.name) }
        }
    }

    @Test(
        "Every row of before stays, and a server of the version before goes on until partitions follow",
        arguments: postgresql)
    func rows(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, options: .patient) { database, _ in
            try await database.migrate(Migration.all.filter { $0.number <= 26 })
            for number in 1...9 as ClosedRange<UInt8> {
                try await Self.write(number, at: Self.now - Int64(number) * 3 * Self.day, in: database)
            }
            // The game is quiet, but a server of before runs.
            try await Self.tell(Self.now, in: database)
            let before = try await Self.content(of: database)
            #expect(before.map(\.count) == [9, 9, 9])
            try await database.migrate(Migration.all.filter { $0.number <= 27 })
            try await Self.write(10, at: Self.now, in: database)
            try await database.migrate(Migration.all)
            // What it writes in the next two days needs no partition but the first.
            try await Self.write(11, at: Self.now + 2 * Self.day, in: database)
            let first = DividedTable.all.map { ["\($0.name)_00000000"] }
            #expect(try await Self.partitions(in: database) == first)
            let after = try await Self.content(of: database)
            for (before, after) in zip(before, after) {
                #expect(after.count == 11 && Set(after).isSuperset(of: before))
            }
            try await database.makePartitions(at: Self.now)
            #expect(try await Self.partitions(in: database) == [first[0], first[1], first[2] + ["ledger_20270101"]])
            try await database.makePartitions(at: Self.now + 2 * Self.day)
            #expect(
                try await Self.partitions(in: database) == [
                    first[0], first[1] + ["revocations_20261126", "revocations_20261127"],
                    first[2] + ["ledger_20270101"],
                ])
            // The rows of the first partition are deleted one by one until all are over, and then it leaves as a whole.
            #expect(try await database.dropPartitions(of: .ledger, before: Self.now))
            #expect(try await !database.dropPartitions(of: .spentProofs, before: Self.now + 4 * Self.day))
            #expect(try await Self.partitions(in: database)[0] == [])
        }
    }

    @Test("The ledger's rows stay where they are, and its indexes serve the whole table", arguments: postgresql)
    func inPlace(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, options: .patient) { database, _ in
            try await database.migrate(Migration.all.filter { $0.number <= 26 })
            try await Self.write(1, at: Self.now, in: database)
            let node = try await Self.file(of: "ledger", in: database)
            try await database.migrate(Migration.all)
            #expect(try await Self.file(of: "ledger_00000000", in: database) == node)
            let indexes = try await database.rows(
                "SELECT indexdef FROM pg_indexes WHERE tablename = 'ledger' OR tablename = 'ledger_00000000' ORDER BY 1"
            ) { row in try row[0] as String }
            #expect(
                indexes.map { $0.split(separator: " WHERE")[0] } == [
                    "CREATE INDEX ledger_00000000_withdrawals ON public.ledger_00000000 USING btree (entry_id)",
                    "CREATE INDEX ledger_withdrawals ON ONLY public.ledger USING btree (entry_id)",
                    "CREATE UNIQUE INDEX ledger_00000000_pkey ON public.ledger_00000000 USING btree (user_id, app_id, entry_id)",
                    "CREATE UNIQUE INDEX ledger_pkey ON ONLY public.ledger USING btree (user_id, app_id, entry_id)",
                ])
            let valid = try await database.rows(
                "SELECT indisvalid FROM pg_index WHERE indrelid = to_regclass('ledger')"
            ) { row in try row[0] as Bool }
            #expect(valid == [true, true])
        }
    }

    @Test("A new database has no partition until a server makes those that it needs", arguments: postgresql)
    func new(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all, options: .patient) { database, _ in
            let partitions = try await Self.partitions(in: database)
            #expect(partitions == [[], [], []])
        }
    }

    @Test(
        "Tables that Citus has distributed stay as they are, and their rows are deleted one by one",
        arguments: postgresql)
    func citus(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, options: .patient) { database, _ in
            try await database.migrate(Migration.all.filter { $0.number <= 26 })
            try await database.becomeStandInCitus()
            try await Self.write(1, at: Self.now, in: database)
            try await database.migrate(Migration.all)
            #expect(try await Self.partitions(in: database) == [nil, nil, nil])
            try await database.makePartitions(at: Self.now)
            #expect(try await database.dropPartitions(of: .spentProofs, before: Self.now + Self.day))
            #expect(try await Self.content(of: database).map(\.count) == [1, 1, 1])
        }
    }

    @Test("A copy of a database has the partitions that its rows need", arguments: postgresql)
    func copy(engine: TestDatabases.Engine) async throws {
        try await withLocation(.sqlite) { source in
            try await withOpen(source) { database in
                try await database.migrate(Migration.all)
                for number in 0..<4 as Range<Int64> {
                    try await Self.write(UInt8(number), at: Self.now - number * 40 * Self.day, in: database)
                }
            }
            try await withLocation(engine) { target in
                let summary = try await DatabaseTransfer.copy(source, to: target, migrations: Migration.all) { _ in }
                #expect(summary.rows == 12)
                try await withOpen(target) { database in
                    let content = try await Self.content(of: database)
                    #expect(content.map(\.count) == [4, 4, 4])
                    let partitions = try await Self.partitions(in: database)
                    #expect(
                        partitions[2]
                            == ["ledger_20260701", "ledger_20260901", "ledger_20261001", "ledger_20261101"])
                }
                try await withLocation(.sqlite) { back in
                    let summary = try await DatabaseTransfer.copy(target, to: back, migrations: Migration.all) { _ in }
                    #expect(summary.rows == 12)
                }
            }
        }
    }

    private static func tell(_ milliseconds: Int64, in database: Database) async throws {
        try await database.transact { tx in
            try tx.execute("INSERT INTO audit_progress (node, told_until) VALUES ('node', \(milliseconds))")
        }
    }

    private static func file(of table: String, in database: Database) async throws -> String? {
        try await database.read { tx in
            try tx.first("SELECT pg_relation_filepath(to_regclass(\(table)))") { row in try row[0] }
        }
    }
}

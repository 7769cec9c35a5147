import TestDatabases
import Testing

@testable import GatehouseStorage

/// Tables that PostgreSQL keeps in partitions (`docs/contributing/storage.md`).
@Suite struct PartitionTests {
    private typealias Engine = TestDatabases.Engine

    private static let postgresql = Engine.available.filter { $0 == .postgresql }
    /// 2026-11-23T05:40:30Z
    private static let now: Int64 = 1_795_412_430_000
    private static let hour: Int64 = 3_600_000
    private static let proofKey = UniqueConstraint.primaryKey(of: "spent_proofs", "minute", "proof_id")
    private struct Used: Error {}

    private static func names(_ table: DividedTable, in database: Database) async throws -> [String] {
        try await database.read { tx in try tx.partitions(of: table) ?? [] }.map(\.name)
    }

    private static func spend(_ id: UInt8, at milliseconds: Int64, in draft: Draft) throws {
        try draft.insert(
            into: "spent_proofs", ["minute": milliseconds / 60_000, "proof_id": [id] as [UInt8], "app_id": "game"],
            ifTaken: [proofKey: Used()])
    }

    private static func record(_ user: String, at milliseconds: Int64, in draft: Draft) throws {
        try draft.insert(
            into: "ledger",
            [
                "user_id": user, "app_id": "game", "entry_id": DividedTable.ledger.bound(at: milliseconds),
                "event": "login",
                "actor": "player", "door": "v1", "happened_at": milliseconds,
            ])
    }

    private static func proofs(in database: Database) async throws -> [[UInt8]] {
        try await database.rows("SELECT proof_id FROM spent_proofs ORDER BY minute, proof_id") { row in try row[0] }
    }

    @Test("Periods begin with hours, days and months of the calendar, and names say when")
    func periods() {
        let (hours, days, months) = (DividedTable.spentProofs, DividedTable.revocations, DividedTable.ledger)
        #expect(hours.beginning(before: Self.now) == 1_795_410_000_000)
        #expect(days.beginning(before: Self.now) == 1_795_392_000_000)
        #expect(months.beginning(before: Self.now) == 1_793_491_200_000)
        #expect(months.end(after: Self.now) == 1_796_083_200_000)
        // 2025-11, 2024-02 and 2024-03 with the leap day between them.
        #expect(months.beginning(of: 12, before: Self.now) == 1_761_955_200_000)
        #expect(months.beginning(of: 33, before: Self.now) == 1_706_745_600_000)
        #expect(
            months.beginning(of: 32, before: Self.now) - months.beginning(of: 33, before: Self.now) == 29 * 86_400_000)
        #expect(hours.partitionName(at: hours.beginning(before: Self.now)) == "spent_proofs_2026112305")
        #expect(days.partitionName(at: Self.now) == "revocations_20261123")
        #expect(months.partitionName(at: months.beginning(before: Self.now)) == "ledger_20261101")
        for table in DividedTable.all {
            #expect(table.milliseconds(of: table.bound(at: 1_795_410_000_000)) == 1_795_410_000_000)
        }
        #expect(months.milliseconds(of: "no id") == nil && hours.milliseconds(of: "\(Int64.max)") == nil)
    }

    @Test("Partitions are there before their time, made once by several nodes at once", arguments: postgresql)
    func ahead(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all, options: .patient) { database, location in
            try await withOpen(location) { other in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for node in [database, other, database, other] {
                        group.addTask { try await node.makePartitions(at: Self.now) }
                    }
                    try await group.waitForAll()
                }
            }
            #expect(
                try await Self.names(.spentProofs, in: database) == [
                    "spent_proofs_2026112305", "spent_proofs_2026112306", "spent_proofs_2026112307",
                ])
            #expect(
                try await Self.names(.revocations, in: database) == [
                    "revocations_20261123", "revocations_20261124", "revocations_20261125",
                ])
            #expect(
                try await Self.names(.ledger, in: database) == [
                    "ledger_20261101", "ledger_20261201", "ledger_20270101",
                ])
            // An hour later there is one more, and nothing else has changed.
            try await database.makePartitions(at: Self.now + Self.hour)
            #expect(try await Self.names(.spentProofs, in: database).last == "spent_proofs_2026112308")
            #expect(try await Self.names(.ledger, in: database).count == 3)
        }
    }

    @Test("A row whose period has no partition gets one, whoever comes first", arguments: postgresql)
    func missing(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all, options: .patient) { database, _ in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<40 {
                    let moment = Self.now + Int64(number % 4) * 40 * 86_400_000
                    group.addTask {
                        try await database.decide { draft in
                            try Self.spend(UInt8(number), at: moment, in: draft)
                            try Self.record("user\(number)", at: moment, in: draft)
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(try await Self.proofs(in: database).count == 40)
            #expect(
                try await Self.names(.ledger, in: database) == [
                    "ledger_20261101", "ledger_20270101", "ledger_20270201", "ledger_20270301",
                ])
            try await database.transact { tx in
                try tx.execute(
                    "INSERT INTO spent_proofs (minute, proof_id, app_id) VALUES (7, \([7] as [UInt8]), 'game')")
            }
            #expect(try await Self.names(.spentProofs, in: database).first == "spent_proofs_1970010100")
        }
    }

    @Test("A proof counts once, on both sides of a partition's end", arguments: Engine.available)
    func once(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all, options: .patient) { database, _ in
            let end = DividedTable.spentProofs.end(after: Self.now)
            for moment in [end - 1, end] {
                let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for _ in 0..<8 {
                        group.addTask {
                            do {
                                try await database.decide { draft in try Self.spend(1, at: moment, in: draft) }
                                return true
                            } catch is Used {
                                return false
                            }
                        }
                    }
                    return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
                }
                #expect(wins == 1)
            }
            #expect(try await Self.proofs(in: database) == [[1], [1]])
        }
    }

    @Test("Old partitions leave beside an open transaction, and nobody who writes waits for it", arguments: postgresql)
    func drop(engine: TestDatabases.Engine) async throws {
        var options = DatabaseOptions.patient
        options.maintenanceSeconds = 600
        try await withDatabase(engine, migrations: Migration.all, options: options) { database, location in
            let later = Self.now + 5 * Self.hour
            try await database.decide { draft in
                try Self.spend(1, at: Self.now, in: draft)
                try Self.spend(2, at: later, in: draft)
            }
            try await withOpen(location) { other in
                let hold = Hold()
                async let held: Void = other.transact { tx in
                    try tx.execute(
                        "INSERT INTO spent_proofs (minute, proof_id, app_id) VALUES (\(later / 60_000), \([3] as [UInt8]), 'game')"
                    )
                    hold.wait()
                }
                try await hold.reached()
                async let dropped = database.dropPartitions(of: .spentProofs, before: later)
                // A failure must not wait for the transaction that this test holds.
                defer { hold.open() }
                try await Self.waitForDetach(in: other)
                // The removal waits for the open transaction. These would wait behind it if it asked for more than it needs.
                try await Self.writeWithoutWaiting(4, at: later, to: location)
                #expect(try await Self.proofs(in: other) == [[2], [4]])
                hold.open()
                try await held
                #expect(try await !dropped)
            }
            #expect(try await Self.names(.spentProofs, in: database) == ["spent_proofs_2026112310"])
            #expect(try await Self.proofs(in: database) == [[2], [3], [4]])
            #expect(try await Self.exists("spent_proofs_2026112305", in: database) == false)
        }
    }

    @Test("A removal that gives up is completed by the next one, on any node", arguments: postgresql)
    func interrupted(engine: TestDatabases.Engine) async throws {
        var options = DatabaseOptions.patient
        options.maintenanceSeconds = 0.05
        try await withDatabase(engine, migrations: Migration.all, options: options) { database, location in
            try await database.makePartitions(at: Self.now)
            try await database.decide { draft in try Self.spend(1, at: Self.now, in: draft) }
            try await withOpen(location) { other in
                let hold = Hold()
                async let held: Void = other.transact { tx in
                    _ = try tx.first("SELECT COUNT(*) FROM spent_proofs") { _ in true }
                    hold.wait()
                }
                try await hold.reached()
                defer { hold.open() }
                let later = Self.now + Self.hour
                #expect(try await database.dropPartitions(of: .spentProofs, before: later) == false)
                let partitions = try await database.read { tx in try tx.partitions(of: .spentProofs) ?? [] }
                #expect(partitions.filter(\.isLeaving).map(\.name) == ["spent_proofs_2026112305"])
                // Its rows are gone for everybody else, new ones come, and partitions are made.
                #expect(try await Self.proofs(in: database) == [])
                try await Self.writeWithoutWaiting(2, at: later, to: location)
                try await database.makePartitions(at: later)
                hold.open()
                try await held
                for node in [database, other] {
                    #expect(try await !node.dropPartitions(of: .spentProofs, before: later))
                }
            }
            #expect(
                try await Self.names(.spentProofs, in: database) == [
                    "spent_proofs_2026112306", "spent_proofs_2026112307", "spent_proofs_2026112308",
                ])
            #expect(try await Self.exists("spent_proofs_2026112305", in: database) == false)
            #expect(try await Self.proofs(in: database) == [[2]])
        }
    }

    @Test(
        "On Citus a partition's lock is tried for a moment, and everything after it waits as long as before",
        arguments: postgresql)
    func distributedPatience(engine: TestDatabases.Engine) async throws {
        var options = DatabaseOptions.patient
        options.maintenanceSeconds = 600
        try await withDatabase(engine, migrations: Migration.all) { database, location in
            try await database.makePartitions(at: Self.now)
            try await database.transact { tx in
                try tx.execute("CREATE TABLE waits (n BIGINT GENERATED ALWAYS AS IDENTITY, wait TEXT)")
                try tx.execute(
                    """
                    CREATE FUNCTION note_wait() RETURNS event_trigger LANGUAGE plpgsql AS $$ BEGIN
                        INSERT INTO waits (wait) VALUES (TG_TAG || ' ' || current_setting('lock_timeout'));
                    END $$
                    """)
                try tx.execute(
                    """
                    CREATE EVENT TRIGGER note_wait ON ddl_command_start WHEN TAG IN ('ALTER TABLE', 'DROP TABLE')
                    EXECUTE FUNCTION note_wait()
                    """)
            }
            try await database.becomeStandInCitus()
            try await withOpen(location, options) { other in
                let isUndivided = try await other.dropPartitions(of: .spentProofs, before: Self.now + Self.hour)
                #expect(!isUndivided)
            }
            let waits = try await database.rows("SELECT wait FROM waits ORDER BY n") { row in try row[0] as String }
            #expect(waits == ["ALTER TABLE 250ms", "DROP TABLE 10min"])
        }
    }

    @Test(
        "What a crash has left between two steps is dropped, and what somebody has detached by hand is not",
        arguments: postgresql)
    func leftOver(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all, options: .patient) { database, _ in
            try await database.makePartitions(at: Self.now)
            try await database.maintain { connection in
                for name in ["spent_proofs_2026112305", "spent_proofs_2026112306"] {
                    try connection.change("ALTER TABLE spent_proofs DETACH PARTITION \(name)")
                }
                try connection.change(
                    "COMMENT ON TABLE spent_proofs_2026112306 IS '\(PostgreSQLConnection.leavingMark)'")
                try connection.receive()
            }
            #expect(try await !database.dropPartitions(of: .spentProofs, before: 0))
            #expect(try await Self.exists("spent_proofs_2026112305", in: database))
            #expect(try await Self.exists("spent_proofs_2026112306", in: database) == false)
        }
    }

    @Test("Two nodes at once drop each partition once", arguments: postgresql)
    func twoNodes(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all, options: .patient) { database, location in
            for hours in 0..<6 as Range<Int64> {
                try await database.makePartitions(of: [.spentProofs], at: Self.now + hours * Self.hour)
            }
            try await withOpen(location) { other in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for node in [database, other, database, other] {
                        group.addTask {
                            _ = try await node.dropPartitions(of: .spentProofs, before: Self.now + 5 * Self.hour)
                        }
                    }
                    try await group.waitForAll()
                }
                _ = try await other.dropPartitions(of: .spentProofs, before: Self.now + 5 * Self.hour)
            }
            #expect(
                try await Self.names(.spentProofs, in: database) == [
                    "spent_proofs_2026112310", "spent_proofs_2026112311", "spent_proofs_2026112312",
                ])
        }
    }

    @Test("A partition's unique constraints have the names of its table's, but for the number", arguments: postgresql)
    func constraints(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all, options: .patient) { database, _ in
            try await database.makePartitions(at: Self.now)
            for table in DividedTable.all {
                let found = try await database.rows(
                    """
                    SELECT CAST(constraints.conname AS TEXT), CAST(parents.conname AS TEXT) FROM pg_constraint constraints
                    JOIN pg_constraint parents ON parents.oid = constraints.conparentid
                    WHERE constraints.contype IN ('p', 'u') AND parents.conrelid = to_regclass(\(table.name))
                    """
                ) { row in (try row[0] as String, try row[1] as String) }
                #expect(found.count == 3, "\(table.name)")
                for (name, parent) in found { #expect(name != parent && PostgreSQLFailure.withoutPart(name) == parent) }
            }
        }
    }

    /// Writes with a server whose statements wait for no lock at all.
    private static func writeWithoutWaiting(_ id: UInt8, at milliseconds: Int64, to location: DatabaseLocation)
        async throws
    {
        try await withOpen(location) { hurried in
            try await hurried.transact { tx in
                try tx.execute("SET LOCAL lock_timeout = 1")
                try tx.execute(
                    "INSERT INTO spent_proofs (minute, proof_id, app_id) VALUES (\(milliseconds / 60_000), \([id]), 'game')"
                )
            }
        }
    }

    /// Returns when a removal waits for a transaction.
    private static func waitForDetach(in database: Database) async throws {
        for _ in 0..<60_000 {
            let waits = try await database.rows(
                """
                SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND query LIKE 'ALTER TABLE % DETACH %'
                    AND wait_event_type = 'Lock'
                """
            ) { _ in true }
            if !waits.isEmpty { return }
            try await Task.sleep(for: .milliseconds(1))
        }
        Issue.record("no removal has waited for the transaction")
    }

    private static func exists(_ table: String, in database: Database) async throws -> Bool {
        try await database.read { tx in try tx.first("SELECT 1 WHERE to_regclass(\(table)) IS NOT NULL") { _ in true } }
            ?? false
    }
}

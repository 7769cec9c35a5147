import GatehouseStorage
import TestDatabases
import Testing

/// What an operator looks at never slows a login.
@Suite struct ReportTests {
    /// Counts for a very long time, and is stopped by its time limit or by the end of the test.
    private static let endless: SQL = """
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 10000000000)
        SELECT COUNT(*) FROM numbers
        """

    @Test("A report that takes too long is ended, and the next one works", arguments: Engine.available)
    func limit(engine: Engine) async throws {
        var options = DatabaseOptions.patient
        options.reportSeconds = 0.3
        try await withDatabase(engine, options: options) { database, _ in
            await #expect(throws: StorageError.overloaded) {
                try await database.report { tx in try tx.first(Self.endless) { row in try row[0] as Int } }
            }
            let one = try await database.report { tx in try tx.first("SELECT 1") { row in try row[0] as Int } }
            #expect(one == 1)
        }
    }

    @Test("While a report goes on, decisions, transactions and reads are done", arguments: Engine.available)
    func slow(engine: Engine) async throws {
        try await withDatabase(engine, options: .patient) { database, _ in
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            let hold = Hold()
            async let counted: Int? = database.report { tx in
                let before = try tx.first("SELECT COUNT(*) FROM items") { row in try row[0] as Int }
                hold.wait()
                // A report sees one snapshot, whatever is written meanwhile.
                let after = try tx.first("SELECT COUNT(*) FROM items") { row in try row[0] as Int }
                return before == after ? after : nil
            }
            try await hold.reached()
            for id in 0..<20 { try await database.decide { draft in try draft.insert(into: "items", ["id": id]) } }
            try await database.transact { tx in try tx.execute("DELETE FROM items WHERE id = \(0)") }
            let seen = try await database.read { tx in
                try tx.first("SELECT COUNT(*) FROM items") { row in try row[0] as Int }
            }
            #expect(seen == 19)
            hold.open()
            // PostgreSQL ends a transaction that is idle for half a minute, as on a busy machine, and then the report is run again.
            #expect([0, 19].contains(try await counted))
        }
    }

    @Test("Whoever asks for many reports at once waits for them, and others don't", arguments: Engine.available)
    func shares(engine: Engine) async throws {
        var options = DatabaseOptions.patient
        (options.reportConnections, options.reportQueueLimit) = (2, 4)
        try await withDatabase(engine, options: options) { database, _ in
            let one: @Sendable (Reader) throws -> Int? = { tx in try tx.first("SELECT 1") { row in try row[0] as Int } }
            let (greedy, other) = (database.asked(by: "greedy"), database.asked(by: "other"))
            let hold = Hold()
            async let held: Int? = greedy.report { tx in
                hold.wait()
                return try one(tx)
            }
            try await hold.reached()
            let outcomes = try await withThrowingTaskGroup(of: Bool.self) { group in
                for _ in 0..<5 {
                    group.addTask {
                        do {
                            return try await greedy.report(one) == 1
                        } catch StorageError.overloaded {
                            return false
                        }
                    }
                }
                // Two may wait, and the others are refused at once.
                var outcomes: [Bool] = []
                while outcomes.count < 3, let outcome = try await group.next() { outcomes.append(outcome) }
                #expect(outcomes == [false, false, false])
                #expect(try await other.report(one) == 1)
                hold.open()
                for try await outcome in group { outcomes.append(outcome) }
                return outcomes
            }
            #expect(outcomes.filter(\.self).count == 2)
            #expect(try await held == 1)
            #expect(try await greedy.report(one) == 1)
        }
    }

    @Test("A report is planned anew, with the planner's own settings")
    func planner() async throws {
        guard Engine.available.contains(.postgresql) else { return }
        try await withDatabase(.postgresql) { database, _ in
            let settings: SQL = """
                SELECT current_setting('enable_seqscan'), current_setting('enable_hashjoin'),
                    current_setting('enable_mergejoin'), current_setting('plan_cache_mode'),
                    current_setting('transaction_read_only')
                """
            let read: @Sendable (Reader) throws -> [String] = { tx in
                try tx.first(settings) { row in try (0..<5).map { try row[$0] as String } } ?? []
            }
            let ofReports = try await database.report(read)
            #expect(ofReports == ["on", "on", "on", "force_custom_plan", "on"])
            let ofCalls = try await database.read(read)
            #expect(ofCalls == ["off", "off", "off", "force_generic_plan", "on"])
        }
    }
}

import TestDatabases
import Testing

@testable import GatehouseStorage

/// What can be held of a distributed engine without one. `scripts/check-distribution` holds the statements.
@Suite struct DistributionTests {
    private typealias Engine = TestDatabases.Engine

    private static let postgresql = Engine.available.filter { $0 == .postgresql }

    @Test("Without the extension, and on SQLite, tables can't be distributed", arguments: Engine.available)
    func refused(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            await #expect(throws: engine == .sqlite ? DistributionError.notPostgreSQL : .noExtension) {
                _ = try await database.distribute(.gatehouse)
            }
        }
    }

    @Test(
        "Tables are distributed in the engine's order, with their foreign keys at the end, once", arguments: postgresql)
    func order(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            // Partitions are distributed with their table, and not by themselves.
            try await database.makePartitions(at: 1_795_412_430_000)
            try await database.becomeStandInCitus()
            let before = try await Self.foreignKeys(in: database)
            let done = try await database.distribute(.gatehouse)
            #expect(done.first == "Citus 13.2-stand-in answers.")
            #expect(done.contains("members: distributed by app_id."))
            #expect(done.contains("identities: distributed by app_id, beside members."))
            #expect(try await Self.foreignKeys(in: database) == before)
            #expect(before.contains { $0.hasPrefix("identities FOREIGN KEY (app_id, user_id) REFERENCES members") })
            let neighbours = try await database.rows(
                "SELECT CAST(logicalrelid AS TEXT), neighbour FROM pg_dist_partition WHERE partmethod = 'h'"
            ) { row in try "\(row[0] as String) \(row[1] as String)" }
            #expect(
                Set(neighbours)
                    == Set(
                        Distribution.gatehouse.distributed.map {
                            "\($0)" == "members" ? "members none" : "\($0) members"
                        }))
            let key = try await database.rows(
                "SELECT pg_get_constraintdef(oid) FROM pg_constraint WHERE conname = 'spent_proofs_pkey'"
            ) { row in try row[0] as String }
            #expect(key == ["PRIMARY KEY (minute, proof_id, app_id)"])
            let keys = try await database.rows(
                "SELECT CAST(conname AS TEXT) FROM pg_constraint WHERE contype = 'p' AND conname LIKE 'spent_proofs_%'"
            ) { row in try row[0] as String }
            #expect(keys.count == 4 && Set(keys.map(PostgreSQLFailure.withoutPart)) == ["spent_proofs_pkey"])
            let again = try await database.distribute(.gatehouse)
            #expect(again == ["Citus 13.2-stand-in answers.", "Every table is distributed already."])
        }
    }

    @Test(
        "A table of a later version is distributed by a later call, and tables with rows of before are named",
        arguments: postgresql)
    func later(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            try await database.becomeStandInCitus()
            try await database.transact { tx in
                try tx.execute("INSERT INTO payments VALUES ('1', 'game', 'user', 1, 'KRW', 1)")
            }
            let done = try await database.distribute(.gatehouse)
            #expect(done.last == "  SELECT truncate_local_data_after_distributing_table('payments');")
            try await database.transact { tx in
                try tx.execute(
                    "CREATE TABLE later (app_id TEXT REFERENCES apps (app_id), n BIGINT, PRIMARY KEY (app_id, n))")
            }
            let next = Distribution(
                reference: Distribution.gatehouse.reference, distributed: Distribution.gatehouse.distributed + ["later"]
            )
            #expect(
                try await database.distribute(next) == [
                    "Citus 13.2-stand-in answers.",
                    "Foreign keys dropped until both of their tables are distributed: 1.",
                    "later: distributed by app_id, beside members.", "Foreign keys made again: 1.",
                ])
        }
    }

    @Test("Every table with an app is a reference table, distributed, or named here", arguments: postgresql)
    func complete(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, migrations: Migration.all) { database, _ in
            let tables = try await database.rows(
                """
                SELECT CAST(table_name AS TEXT) FROM information_schema.columns
                WHERE column_name = 'app_id' AND table_schema = 'public'
                    AND NOT EXISTS (SELECT 1 FROM pg_class WHERE oid = to_regclass(CAST(table_name AS TEXT)) AND relispartition)
                """
            ) { row in try row[0] as String }
            let named = (Distribution.gatehouse.reference + Distribution.gatehouse.distributed).map { "\($0)" }
            // They are about the server too, and then have no app.
            #expect(Set(tables) == Set(named).union(["audit_log", "operator_actions", "operator_grants"]))
        }
    }

    @Test("A connection follows the engine that answers", arguments: postgresql)
    func settings(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine) { database, location in
            #expect(try await Self.mode(of: database) == "force_generic_plan")
            try await database.becomeStandInCitus()
            try await withOpen(location) { later in
                #expect(try await Self.mode(of: later) == "auto")
                let propagated = try await later.read { tx in
                    try tx.first("SELECT current_setting('citus.propagate_set_commands')") { row in try row[0] as String
                    }
                }
                #expect(propagated == "local")
            }
        }
    }

    @Test("Decisions about several apps at once have the same effect as one by one", arguments: postgresql)
    func batches(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine) { database, location in
            try await database.migrate(Migration.all.filter { $0.number == 15 })
            try await database.transact { tx in
                try tx.execute("CREATE TABLE scores (app_id TEXT, name TEXT, score BIGINT, PRIMARY KEY (app_id, name))")
            }
            try await database.becomeStandInCitus()
            try await withOpen(location) { distributed in
                for round in 1...3 {
                    try await withThrowingTaskGroup(of: Void.self) { group in
                        for number in 0..<120 {
                            let (app, name) = ("app\(number % 3)", "player\(number)")
                            group.addTask { try await Self.play(app, name, round: round, in: distributed) }
                        }
                        try await group.waitForAll()
                    }
                }
                let sums = try await distributed.rows(
                    "SELECT app_id, SUM(score) FROM scores GROUP BY app_id ORDER BY 1"
                ) {
                    row in try "\(row[0] as String) \(row[1] as String)"
                }
                #expect(sums == ["app0 120", "app1 120", "app2 120"])
            }
        }
    }

    private static func play(_ app: String, _ name: String, round: Int, in database: Database) async throws {
        try await database.decide { draft in
            let score = try draft.first("SELECT score FROM scores WHERE app_id = \(app) AND name = \(name)") { row in
                try row[0] as Int
            }
            if let score {
                try draft.update(
                    "scores", set: "score = \(score + 1)", where: ["app_id": app, "name": name],
                    and: "score = \(score) AND app_id = \(app)", ifMissed: StorageError.conflict)
            } else {
                try draft.insert(into: "scores", ["app_id": app, "name": name, "score": round])
            }
        }
    }

    @Test("A merged statement names its app once, as a plain value")
    func merged() throws {
        let live = try ("SELECT n FROM a WHERE id = \("x") AND app_id = \("game") ORDER BY \(1)" as SQL).reading()
        #expect(live.appPlaces == [1] && live.app == "game")
        #expect(
            MergedStatement.text(of: live.form, kinds: [.text, .app, .integer]) == """
                SELECT batch.number, each.* FROM unnest(CAST($1 AS TEXT[]), CAST($2 AS BIGINT[])) WITH ORDINALITY AS batch (p1, p3, \
                number) CROSS JOIN LATERAL (SELECT n FROM a WHERE id = batch.p1 AND app_id = CAST($3 AS TEXT) ORDER BY batch.p3) AS each
                """)
        let insert = Statement.Form.insert(into: "a", columns: ["id", "app_id"])
        #expect(
            MergedStatement.text(of: insert, kinds: [.text, .app]) == """
                INSERT INTO a (id, app_id) SELECT batch.p1, CAST($2 AS TEXT) FROM unnest(CAST($1 AS TEXT[])) AS batch (p1)
                """)
        let update = Statement.Form.update(
            "a", set: ["n = ", ""], key: ["app_id", "id"], condition: ["version = ", ""])
        #expect(
            MergedStatement.text(of: update, kinds: [.integer, .app, .text, .null]) == """
                UPDATE a SET n = batch.p1 FROM unnest(CAST($1 AS BIGINT[]), CAST($2 AS TEXT[])) AS batch (p1, p3) \
                WHERE app_id = CAST($3 AS TEXT) AND id = batch.p3 AND (version = NULL)
                """)
        #expect(try Statement(update, [.integer(1), .text("game"), .text("x"), .integer(2)]).app == "game")
        let delete = Statement.Form.delete(from: "a", key: ["id"], condition: ["app_id = ", " OR app_id = ", ""])
        #expect(try Statement(delete, [.text("x"), .text("one"), .text("two")]).app == nil)
    }

    @Test("A constraint is known by the message of another node, without the number of its part")
    func constraints() {
        let message = "duplicate key value violates unique constraint \"identities_one_per_idp_102041\""
        let name = PostgreSQLFailure.constraint(in: message)
        #expect(name.map(PostgreSQLFailure.withoutPart) == "identities_one_per_idp")
        #expect(PostgreSQLFailure.withoutPart("members_pkey") == "members_pkey")
        #expect(PostgreSQLFailure.withoutPart("spent_proofs_2026112305_pkey") == "spent_proofs_pkey")
        #expect(PostgreSQLFailure.withoutPart("ledger_20261101_pkey_102008") == "ledger_pkey")
        #expect(PostgreSQLFailure.constraint(in: "relation \"x\" does not exist") == nil)
    }

    private static func mode(of database: Database) async throws -> String? {
        try await database.read { tx in try tx.first("SELECT current_setting('plan_cache_mode')") { row in try row[0] }
        }
    }

    private static func foreignKeys(in database: Database) async throws -> [String] {
        try await database.rows(
            """
            SELECT CAST(CAST(conrelid AS regclass) AS TEXT), pg_get_constraintdef(oid) FROM pg_constraint WHERE contype = 'f'
            ORDER BY 1, 2
            """
        ) { row in try "\(row[0] as String) \(row[1] as String)" }
    }
}

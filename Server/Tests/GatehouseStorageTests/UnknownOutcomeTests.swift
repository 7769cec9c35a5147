import Synchronization
import TestDatabases
import Testing

@testable import GatehouseStorage

/// Commits of PostgreSQL and Citus of which nobody knows whether they have succeeded, and connections that don't come about.
@Suite struct UnknownOutcomeTests {
    private typealias Engine = TestDatabases.Engine

    private static let postgresql = Engine.available.filter { $0 == .postgresql }

    @Test(
        "REL-6: when a node of Citus has not confirmed a commit, the caller learns that it is unknown, and nothing runs twice",
        arguments: postgresql)
    func citus(engine: TestDatabases.Engine) async throws {
        try await withDatabase(engine, options: .patient) { database, _ in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, n BIGINT)")
                try tx.execute(
                    """
                    CREATE FUNCTION lose() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                        RAISE EXCEPTION 'could not commit transaction for shard 102008 on at least one active node';
                    END $$
                    """)
                try tx.execute(
                    """
                    CREATE CONSTRAINT TRIGGER lose AFTER INSERT ON items DEFERRABLE INITIALLY DEFERRED
                    FOR EACH ROW WHEN (NEW.n = 13) EXECUTE FUNCTION lose()
                    """)
            }
            let isUnknown = { (error: any Error) in
                if case .unavailable? = error as? StorageError { true } else { false }
            }
            let runs = Atomic(0)
            await #expect {
                try await database.decide { draft in
                    runs.add(1, ordering: .relaxed)
                    try draft.insert(into: "items", ["id": 1, "n": 13])
                }
            } throws: { isUnknown($0) }
            await #expect {
                try await database.transact { tx in
                    runs.add(1, ordering: .relaxed)
                    try tx.insert(into: "items", ["id": 2, "n": 13])
                }
            } throws: { isUnknown($0) }
            #expect(runs.load(ordering: .relaxed) == 2)
            // The connections go on.
            try await database.decide { draft in try draft.insert(into: "items", ["id": 3, "n": 1]) }
            try await database.transact { tx in try tx.insert(into: "items", ["id": 4, "n": 1]) }
            let ids = try await database.rows("SELECT id FROM items ORDER BY id") { row in try row[0] as Int }
            #expect(ids == [3, 4])
        }
    }

    private static let losses = postgresql.flatMap { engine in CommitRelay.Loss.allCases.map { (engine, $0) } }

    @Test(
        "REL-6: a commit that succeeds and is not confirmed is unknown to the caller, and nothing runs twice",
        arguments: losses)
    func landed(engine: TestDatabases.Engine, loss: CommitRelay.Loss) async throws {
        try await withDatabase(engine, options: .patient) { database, location in
            try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
            try await withCommitRelay(to: location) { relay, way in
                try await withOpen(way) { other in
                    let runs = Atomic(0)
                    let isUnknown = { (error: any Error) in
                        if case .unavailable? = error as? StorageError { true } else { false }
                    }
                    relay.loseCommit(of: "INSERT INTO items", by: loss)
                    await #expect {
                        try await other.decide { draft in
                            runs.add(1, ordering: .relaxed)
                            try draft.insert(into: "items", ["id": 1])
                        }
                    } throws: { isUnknown($0) }
                    relay.loseCommit(of: "INSERT INTO items", by: loss)
                    await #expect {
                        try await other.transact { tx in
                            runs.add(1, ordering: .relaxed)
                            try tx.insert(into: "items", ["id": 2])
                        }
                    } throws: { isUnknown($0) }
                    #expect(runs.load(ordering: .relaxed) == 2)
                    // The connections go on, or others come.
                    try await other.decide { draft in try draft.insert(into: "items", ["id": 3]) }
                    try await other.transact { tx in try tx.insert(into: "items", ["id": 4]) }
                }
            }
            let ids = try await database.rows("SELECT id FROM items ORDER BY id") { row in try row[0] as Int }
            #expect(ids == [1, 2, 3, 4])
        }
    }

    @Test("A connection whose first question fails is closed", arguments: postgresql)
    func failedSetUp(engine: TestDatabases.Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withOpen(DatabaseLocation(url)) { database in
                try await database.transact { tx in
                    try tx.execute(
                        """
                        CREATE FUNCTION public.pg_is_in_recovery() RETURNS BOOLEAN LANGUAGE plpgsql AS $$ BEGIN
                            RAISE EXCEPTION 'no answer';
                        END $$
                        """)
                }
                let broken =
                    url + (url.contains("?") ? "&" : "?")
                    + "application_name=broken-set-up&options=-csearch_path%3Dpublic,pg_catalog"
                for _ in 0..<3 {
                    #expect(throws: StorageError.self) {
                        _ = try PostgreSQLConnection(url: broken, for: .calls(patienceSeconds: 5))
                    }
                }
                // PostgreSQL lists a connection for a moment after its end.
                var open = -1
                for _ in 0..<10_000 {
                    open =
                        try await database.rows(
                            "SELECT COUNT(*) FROM pg_stat_activity WHERE application_name = 'broken-set-up'"
                        ) { row in try row[0] as Int }.first ?? -1
                    if open == 0 { break }
                    try await Task.sleep(for: .milliseconds(1))
                }
                #expect(open == 0)
            }
        }
    }
}

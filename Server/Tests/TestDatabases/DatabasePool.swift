import Foundation
import GatehouseStorage

/// Equal databases on the test server. After a test its database is reset to the initial state for the next test, which costs a tenth
/// of creating a new one.
final class DatabasePool: @unchecked Sendable {  // Its properties are used only with the lock held.
    /// Databases without a table.
    static let empty = DatabasePool(
        template: nil,
        restore: """
            \(endConnections)
            DELETE FROM pg_extension WHERE extname = 'citus';
            DROP SCHEMA public CASCADE;
            CREATE SCHEMA public
            """)

    /// A killed server's connection may still hold locks, and may still commit. PostgreSQL's own waiting for an end looks only every
    /// tenth of a second, which is longer than most tests take.
    private static let endConnections = """
        DO $$ BEGIN
            FOR attempt IN 1..60000 LOOP
                PERFORM pg_stat_clear_snapshot();
                PERFORM pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend';
                IF NOT FOUND THEN RETURN; END IF;
                PERFORM pg_sleep(0.001);
            END LOOP;
            RAISE 'connections of a test have not ended in a minute';
        END $$;
        """

    /// Without partitions, whose rows are their tables'.
    private static let tables =
        "SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('public') AND relkind IN ('r', 'p') AND NOT relispartition"

    private struct TestDatabase {
        let name: String
        let administrator: Administrator
    }

    /// Not a Mutex, because the thread sanitizer does not understand it.
    private let lock = NSLock()
    private var free: [TestDatabase] = []
    private let template: String?
    private let restore: String

    private init(template: String?, restore: String) {
        self.template = template
        self.restore = restore
    }

    /// Databases with the tables and rows that `prepare` creates.
    static func prepared(_ prepare: (DatabaseLocation) async throws -> Void) async throws -> DatabasePool {
        let template = newName()
        let server = try SharedPostgreSQL.shared()
        try await server.administrator.run("CREATE DATABASE \(template)")
        SharedPostgreSQL.note(template)
        try await prepare(DatabaseLocation(server.url(of: template)))
        // A second copy of each table, from which the rows are restored.
        try await Administrator(server.url(of: template)).run(
            """
            CREATE SCHEMA fixture;
            DO $$ DECLARE name text; BEGIN
                FOR name IN \(tables) LOOP
                    EXECUTE format('CREATE TABLE fixture.%I AS TABLE public.%I', name, name);
                END LOOP;
            END $$
            """)
        // In replica mode, rows are accepted in any order of the tables.
        return DatabasePool(
            template: template,
            restore: """
                \(endConnections)
                SET session_replication_role = replica;
                DO $$ DECLARE name text; BEGIN
                    FOR name IN \(tables) LOOP
                        EXECUTE format('DELETE FROM public.%I', name);
                        EXECUTE format('INSERT INTO public.%I SELECT * FROM fixture.%I', name, name);
                    END LOOP;
                END $$
                """)
    }

    /// Runs a test with a database that no other test uses at the same time.
    ///
    /// - Parameter isNew: whether no test may have used it before. The rows that one deleted go on occupying pages, and by their number
    ///   PostgreSQL chooses its plans.
    func withDatabase<Value>(isNew: Bool = false, _ test: (_ url: String) async throws -> Value) async throws -> Value {
        await Slots.shared.take()
        defer { Slots.shared.giveBack() }
        let server = try SharedPostgreSQL.shared()
        let database = isNew ? try await create(server) : try await take(server)
        if TestSwitches.keepsDatabases {
            defer { TestSwitches.say("kept \(server.url(of: database.name))") }
            return try await test(server.url(of: database.name))
        }
        do {
            let value = try await test(server.url(of: database.name))
            try await giveBack(database, server)
            return value
        } catch {
            // A failed test may still write to its database, and must not affect the next test.
            try? await server.drop(database.name)
            throw error
        }
    }

    /// The URL of a database that is never given back.
    func takeForProcess() async throws -> String {
        let server = try SharedPostgreSQL.shared()
        return server.url(of: try await take(server).name)
    }

    private func take(_ server: SharedPostgreSQL) async throws -> TestDatabase {
        if let database = lock.withLock({ free.popLast() }) { return database }
        return try await create(server)
    }

    private func create(_ server: SharedPostgreSQL) async throws -> TestDatabase {
        let name = Self.newName()
        try await server.administrator.run("CREATE DATABASE \(name)\(template.map { " TEMPLATE \($0)" } ?? "")")
        SharedPostgreSQL.note(name)
        return TestDatabase(name: name, administrator: Administrator(server.url(of: name)))
    }

    private func giveBack(_ database: TestDatabase, _ server: SharedPostgreSQL) async throws {
        do {
            try await database.administrator.run(restore)
        } catch {
            try await server.drop(database.name)
            throw error
        }
        lock.withLock { free.append(database) }
    }

    private static func newName() -> String {
        "test_\(UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: ""))"
    }
}

/// The PostgreSQL server on which tests may create databases; `scripts/with-postgres` starts one.
struct SharedPostgreSQL: Sendable {
    let administrator: Administrator
    private let base: Substring

    static func shared() throws -> SharedPostgreSQL { try made.get() }

    private static let made = Result {
        guard let url = Engine.server, let slash = url.lastIndex(of: "/") else {
            throw TestDatabaseError(description: "GATEHOUSE_TEST_POSTGRES names no server: run scripts/with-postgres")
        }
        // A server that was started for this run is gone after it. Any other is left as it was, unless databases are kept.
        let isOfThisRun = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_POSTGRES_CONTROL"] != nil
        if !isOfThisRun && !TestSwitches.keepsDatabases { atexit { dropAll() } }
        return SharedPostgreSQL(administrator: Administrator(url), base: url[..<slash])
    }

    func url(of database: String) -> String { "\(base)/\(database)" }

    func drop(_ database: String) async throws {
        try await administrator.run("DROP DATABASE IF EXISTS \(database) WITH (FORCE)")
    }

    private static let names = Names()

    private final class Names: @unchecked Sendable {  // Its properties are used only with the lock held.
        let lock = NSLock()
        var all: [String] = []
    }

    static func note(_ database: String) { names.lock.withLock { names.all.append(database) } }

    private static func dropAll() {
        guard let server = try? shared() else { return }
        let done = DispatchSemaphore(value: 0)
        let all = names.lock.withLock { names.all }
        Task {
            for name in all { try? await server.drop(name) }
            done.signal()
        }
        _ = done.wait(timeout: .now() + 60)
    }
}

/// Limits the databases in use, because more of them would only wait for each other, and for connections.
private final class Slots: @unchecked Sendable {  // Its properties are used only with the lock held.
    static let shared = Slots()

    /// Not a Mutex, because the thread sanitizer does not understand it.
    private let lock = NSLock()
    private var free = 8
    private var waiting: [CheckedContinuation<Void, Never>] = []

    func take() async {
        await withCheckedContinuation { continuation in
            let isFree = lock.withLock {
                guard free > 0 else {
                    waiting.append(continuation)
                    return false
                }
                free -= 1
                return true
            }
            if isFree { continuation.resume() }
        }
    }

    func giveBack() {
        let next = lock.withLock { () -> CheckedContinuation<Void, Never>? in
            guard !waiting.isEmpty else {
                free += 1
                return nil
            }
            return waiting.removeFirst()
        }
        next?.resume()
    }
}

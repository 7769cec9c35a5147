import Foundation
public import GatehouseStorage

/// The content of a database at the beginning of a test. It is created once per run for each engine, and every test that uses it gets a
/// separate database with it: migrating and filling a database for each test takes longer than most tests.
public actor Fixture<Value: Sendable> {
    private enum Made: Sendable {
        /// The parts of a file, by the suffix of their name.
        case file([String: Data])
        case databases(DatabasePool)
    }

    private let migrations: [Migration]
    private let prepare: @Sendable (Database) async throws -> Value
    private var made: [Engine: Task<(Made, Value), any Error>] = [:]

    /// - Parameter prepare: fills a migrated database, and returns what tests need to know about it.
    public init(migrations: [Migration], _ prepare: @escaping @Sendable (Database) async throws -> Value) {
        self.migrations = migrations
        self.prepare = prepare
    }

    /// Runs a test with the location of a database with the fixture.
    nonisolated func withLocation<Outcome>(
        _ engine: Engine, isNew: Bool = false, _ test: (DatabaseLocation, Value) async throws -> Outcome
    ) async throws -> Outcome {
        let (made, value) = try await made(for: engine)
        switch made {
        case .file(let parts):
            return try await withFile { path in
                let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
                for (suffix, bytes) in parts {
                    guard
                        FileManager.default.createFile(
                            atPath: path + suffix, contents: bytes, attributes: attributes)
                    else { throw TestDatabaseError(description: "\(path)\(suffix) can't be written") }
                }
                return try await test(DatabaseLocation("sqlite:\(path)"), value)
            }
        case .databases(let pool):
            return try await pool.withDatabase(isNew: isNew) { try await test(DatabaseLocation($0), value) }
        }
    }

    /// Opens a database with the fixture that stays open until the process ends, for tests that keep nothing in it. On SQLite it is in
    /// memory.
    public nonisolated func openedForProcess(
        _ engine: Engine, options: DatabaseOptions = .patient
    ) async throws -> Database {
        if case .databases(let pool) = try await made(for: engine).0 {
            return try await Database.open(DatabaseLocation(try await pool.takeForProcess()), options: options)
        }
        let database = try await Database.open(DatabaseLocation("sqlite::memory:"), options: options)
        try await database.migrate(migrations)
        _ = try await prepare(database)
        return database
    }

    private func made(for engine: Engine) async throws -> (Made, Value) {
        // A separate task, so that a cancelled test does not cancel the fixture for the others.
        let task = made[engine] ?? Task { try await make(engine) }
        made[engine] = task
        return try await task.value
    }

    private nonisolated func make(_ engine: Engine) async throws -> (Made, Value) {
        switch engine {
        case .sqlite:
            return try await withFile(isKept: false) { path in
                let value = try await fill(DatabaseLocation("sqlite:\(path)"))
                var parts = ["": try Data(contentsOf: URL(fileURLWithPath: path))]
                // What the last connection has not moved into the file is in the log beside it.
                parts["-wal"] = try? Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
                return (.file(parts), value)
            }
        case .postgresql:
            var value: Value?
            let pool = try await DatabasePool.prepared { value = try await fill($0) }
            guard let value else { throw TestDatabaseError(description: "the fixture was not made") }
            return (.databases(pool), value)
        }
    }

    private nonisolated func fill(_ location: DatabaseLocation) async throws -> Value {
        try await withOpen(location, .patient) { database in
            try await database.migrate(migrations)
            return try await prepare(database)
        }
    }
}

import Foundation
public import GatehouseStorage

/// What a database holds when a test begins. It is made once in a run for each engine, and every test that asks for it gets a
/// database of its own that holds it: to migrate and to fill a database anew for each test takes longer than most tests.
public actor Fixture<Value: Sendable> {
    private enum Made: Sendable {
        /// The parts of a file, by what follows its name.
        case file([String: Data])
        case databases(DatabasePool)
    }

    private let migrations: [Migration]
    private let prepare: @Sendable (Database) async throws -> Value
    private var made: [Engine: Task<(Made, Value), any Error>] = [:]

    /// - Parameter prepare: fills a database that has been migrated; returns what tests have to know of it.
    public init(migrations: [Migration], _ prepare: @escaping @Sendable (Database) async throws -> Value) {
        self.migrations = migrations
        self.prepare = prepare
    }

    /// Runs a test on a place where a database with the fixture is.
    nonisolated func withLocation<Outcome>(
        _ engine: Engine, _ test: (DatabaseLocation, Value) async throws -> Outcome
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
            return try await pool.withDatabase { try await test(DatabaseLocation($0), value) }
        }
    }

    private func made(for engine: Engine) async throws -> (Made, Value) {
        // A task of its own: a test that is cancelled takes the fixture from nobody.
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
                // What the last connection has not brought into the file is in the log beside it.
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

/// One step of the schema. It runs once, in the same transaction that records it, so that a killed process leaves it either complete or
/// not begun.
public struct Migration: Sendable {
    public let number: Int
    public let name: String
    /// The statements for both engines.
    public let statements: [SQL]
    /// What one engine does after them, where the other needs something else for the same result.
    private let sqlite: [SQL]
    private let postgresql: [SQL]

    public init(number: Int, name: String, statements: [SQL], sqlite: [SQL] = [], postgresql: [SQL] = []) {
        self.number = number
        self.name = name
        self.statements = statements
        self.sqlite = sqlite
        self.postgresql = postgresql
    }

    func statements(for engine: Engine) -> [SQL] { statements + (engine == .sqlite ? sqlite : postgresql) }

    /// FNV-1a over the statements, which detects a migration that was changed after it had run.
    func checksum(for engine: Engine) -> Int64 {
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325
        for statement in statements(for: engine) {
            for byte in statement.text(for: engine).utf8 + [0] {
                hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3
            }
        }
        return Int64(bitPattern: hash)
    }
}

/// The relation of a database's schema to the migrations of this version.
public enum SchemaState: Sendable {
    /// The database has never been migrated.
    case missing
    /// At least one migration has not run.
    case older
    case current
}

extension Database {
    /// Determines the state of the schema without changing it.
    ///
    /// - Throws: ``StorageError/schemaTooNew(found:known:)``, and the errors of an unreachable database.
    public func schema(_ migrations: [Migration]) async throws -> SchemaState {
        let known = migrations.map(\.number).max() ?? 0
        return try await read { tx in
            guard try tx.hasMigrationTable() else { return .missing }
            let applied = try tx.rows("SELECT number FROM schema_migrations") { row in try row[0] as Int }
            if let newest = applied.max(), newest > known {
                throw StorageError.schemaTooNew(found: newest, known: known)
            }
            return Set(applied).isSuperset(of: migrations.map(\.number)) ? .current : .older
        }
    }

    /// Updates the schema, and returns the numbers of the migrations that this call has run. Concurrent processes wait for each other.
    ///
    /// - Throws: ``StorageError/schemaTooNew(found:known:)``, ``StorageError/migrationChanged(number:)``.
    @discardableResult
    public func migrate(_ migrations: [Migration]) async throws -> [Int] {
        try await transact { tx in try tx.createMigrationTable() }
        var applied: [Int] = []
        for migration in migrations.sorted(by: { $0.number < $1.number }) {
            let known = migrations.map(\.number).max() ?? 0
            if try await transact({ tx in try tx.apply(migration, known: known) }) { applied.append(migration.number) }
        }
        return applied
    }
}

extension Reader {
    fileprivate func hasMigrationTable() throws -> Bool {
        switch engine {
        case .sqlite:
            try first("SELECT 1 FROM sqlite_master WHERE name = 'schema_migrations'") { _ in true } ?? false
        case .postgresql:
            try first("SELECT 1 WHERE to_regclass('schema_migrations') IS NOT NULL") { _ in true } ?? false
        }
    }

}

extension Transaction {
    fileprivate func createMigrationTable() throws {
        try lockMigrations()
        try execute(
            """
            CREATE TABLE IF NOT EXISTS schema_migrations (
                number BIGINT NOT NULL PRIMARY KEY, name TEXT NOT NULL, checksum BIGINT NOT NULL)
            """)
    }

    /// False when it has already run.
    fileprivate func apply(_ migration: Migration, known: Int) throws -> Bool {
        try lockMigrations()
        let newest = try first("SELECT number FROM schema_migrations ORDER BY number DESC LIMIT 1") { row in
            try row[0] as Int
        }
        if let newest, newest > known { throw StorageError.schemaTooNew(found: newest, known: known) }
        let checksum = migration.checksum(for: engine)
        let before = try first("SELECT checksum FROM schema_migrations WHERE number = \(migration.number)") { row in
            try row[0] as Int64
        }
        if let before {
            guard before == checksum else { throw StorageError.migrationChanged(number: migration.number) }
            return false
        }
        try prepareSchemaChange()
        for statement in migration.statements(for: engine) { try execute(statement) }
        try execute(
            """
            INSERT INTO schema_migrations (number, name, checksum)
            VALUES (\(migration.number), \(migration.name), \(checksum))
            """)
        return true
    }

    /// SQLite has only one writer at a time; on PostgreSQL, a lock is taken that ends with the transaction.
    func lockMigrations() throws {
        guard engine == .postgresql else { return }
        _ = try first("SELECT pg_advisory_xact_lock(7305891)") { _ in true }
    }
}

import GatehouseSecurity
import GatehouseStorage
import GatehouseWire
import TestDatabases

@testable import GatehouseCore

/// The server's tables with two apps and nothing else, for tests of queries without a server.
///
/// Each test uses the same values in a second app and for a second member, wherever the keys allow it, and looks at them afterwards:
/// most faults of a query are conditions that are missing.
enum Tables {
    static let app = AppID("game")
    /// Its name is known to `scripts/check-distribution`: only these tests look at two apps in one transaction.
    static let otherApp = AppID("other-queried-game")
    /// 2026-11-21T00:00:00Z
    static let moment = Moment(milliseconds: 1_795_219_200_000)
    /// A text that both engines must keep as it is.
    static let text = "Zoë 👩‍🚀 e\u{301} 'a' \"b\" \\ 100%_; -- $1 ?1\n"
    /// A member that no test inserts.
    static let nobody = UserID("nobody")
    /// Bytes that are not text.
    static let bytes: [UInt8] = [0, 255, 0x27, 0x5c, 0x80]

    private struct RolledBack: Error {}

    private static let fixture = Fixture(migrations: Migration.all) { database in
        try await database.transact { tx in
            for id in [app, otherApp] { _ = try AppQueries.insert(plainApp(id), in: tx) }
        }
    }

    /// One connection for each purpose, and no second attempt: a lost race is the result that a test looks for.
    private static let options: DatabaseOptions = {
        var options = DatabaseOptions.patient
        (options.readers, options.connections, options.ownConnections, options.reportConnections) = (1, 1, 1, 1)
        options.attempts = 1
        return options
    }()

    /// Runs a test with a database of its own, for what has to be committed.
    static func open(_ engine: Engine, _ test: (Database) async throws -> Void) async throws {
        try await withDatabase(engine, fixture, options: options) { database, _, _ in try await test(database) }
    }

    /// Runs a test in a transaction that is rolled back. It shares a database with other tests, one after another, which costs a tenth
    /// of a database of its own.
    static func transact(_ engine: Engine, _ test: @escaping @Sendable (Transaction) throws -> Void) async throws {
        do {
            try await shared.database(engine).transact { tx in
                try test(tx)
                // The last writes are made with the next statement.
                _ = try tx.first("SELECT 1") { _ in true }
                throw RolledBack()
            }
        } catch is RolledBack {}
    }

    /// Runs a test in a transaction, with a database that no other test has had: PostgreSQL's plans change with what others leave in it.
    static func transactAlone(_ engine: Engine, _ test: @escaping @Sendable (Transaction) throws -> Void) async throws {
        try await withDatabase(engine, fixture, options: options, isNew: true) { database, _, _ in
            try await database.transact(test)
        }
    }

    private static let shared = Shared()

    /// The databases of ``transact(_:_:)``.
    private actor Shared {
        private var opened: [Engine: Task<Database, any Error>] = [:]

        func database(_ engine: Engine) async throws -> Database {
            let task = opened[engine] ?? Task { try await fixture.openedForProcess(engine, options: options) }
            opened[engine] = task
            return try await task.value
        }
    }

    static func plainApp(_ id: AppID) -> App {
        App(
            id: id, name: "Game", status: .inService, statusMessage: LocalizedText(), defaultLanguage: "en",
            createdAt: moment)
    }

    /// The context of a change, for queries that take it.
    static func change(
        app: AppID = app, at moment: Moment = moment, by origin: Origin = Origin(actor: .player, door: .httpAPI)
    ) throws -> Change {
        Change(
            CallContext(app: plainApp(app), moment: moment), by: origin, random: .live,
            vault: try KeyVault(masterKey: [UInt8](repeating: 7, count: 32)))
    }

    /// The first id of a time-ordered kind at this moment.
    static func id(at moment: Moment) -> String { TimeOrderedID.firstSession(at: moment).rawValue }
}

extension Reader {
    /// The number of rows of a table, with a condition if it has one.
    func count(_ source: SQL) throws -> Int { try first("SELECT COUNT(*) FROM \(source)") { row in try row[0] } ?? -1 }
}

extension Moment {
    static func + (moment: Moment, seconds: Int64) -> Moment { moment.adding(seconds: seconds) }
}

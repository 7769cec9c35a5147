import Foundation
public import GatehouseStorage

/// An engine that tests run on.
public enum Engine: String, CaseIterable, Sendable {
    case sqlite, postgresql

    /// The URL of a PostgreSQL server on which tests may create databases; `scripts/with-postgres` starts one.
    static let server = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_POSTGRES"]

    /// The available engines. PostgreSQL may be missing on a developer's machine, which is reported, but never in CI.
    public static let available: [Engine] = {
        if server != nil || ProcessInfo.processInfo.environment["GATEHOUSE_REQUIRE_POSTGRESQL"] == "1" {
            return allCases
        }
        let warning =
            "\n*** PostgreSQL IS NOT TESTED: run the tests through `make test` or scripts/with-postgres ***\n\n"
        FileHandle.standardError.write(Data(warning.utf8))
        return [.sqlite]
    }()

    /// The engines for tests of what is above storage: the doors, the SDK and the commands that only use them. The tests of storage,
    /// queries and rules prove on every engine that both keep the same contract, so that these tests need only one of them. `make check`
    /// runs them on all.
    public static let ofDoors: [Engine] = TestSwitches.runsDoorsOnAllEngines ? available : Array(available.prefix(1))
}

extension DatabaseOptions {
    /// Options for a test of results and not of speed: on a busy machine no call gives up.
    public static let patient: DatabaseOptions = {
        var options = DatabaseOptions()
        options.patienceSeconds = 300
        return options
    }()
}

public struct TestDatabaseError: Error, CustomStringConvertible {
    public let description: String
}

/// Runs a test with a separate database: a file in a new folder with the real durability settings, or a database of the test server,
/// without tables. The location can be opened a second time, as another node would.
@discardableResult
public func withDatabase<Value>(
    _ engine: Engine, migrations: [Migration] = [], options: DatabaseOptions = .init(),
    _ test: (Database, DatabaseLocation) async throws -> Value
) async throws -> Value {
    try await withLocation(engine) { location in
        try await withOpen(location, options) { database in
            if !migrations.isEmpty { try await database.migrate(migrations) }
            return try await test(database, location)
        }
    }
}

/// Runs a test with a separate database that contains a fixture.
///
/// - Parameter isNew: whether no test may have used it before, for what depends on more than the rows, such as PostgreSQL's plans.
public func withDatabase<Value, Content>(
    _ engine: Engine, _ fixture: Fixture<Content>, options: DatabaseOptions = .patient, isNew: Bool = false,
    _ test: (Database, DatabaseLocation, Content) async throws -> Value
) async throws -> Value {
    try await fixture.withLocation(engine, isNew: isNew) { location, content in
        try await withOpen(location, options) { try await test($0, location, content) }
    }
}

/// Runs a test with a location where nothing exists yet.
public func withLocation<Value>(
    _ engine: Engine, _ test: (DatabaseLocation) async throws -> Value
) async throws -> Value {
    try await withDatabaseURL(engine) { try await test(DatabaseLocation($0)) }
}

/// Runs a test with the URL of a separate database, for a command's `--database`.
public func withDatabaseURL<Value>(_ engine: Engine, _ test: (String) async throws -> Value) async throws -> Value {
    switch engine {
    case .sqlite: try await withFile { try await test("sqlite:\($0)") }
    case .postgresql: try await DatabasePool.empty.withDatabase(test)
    }
}

/// Opens a database for a test and closes it, however the test ends.
@discardableResult
public func withOpen<Value>(
    _ location: DatabaseLocation, _ options: DatabaseOptions = .patient, _ test: (Database) async throws -> Value
) async throws -> Value {
    let database = try await Database.open(location, options: options)
    do {
        let value = try await test(database)
        await database.close()
        return value
    } catch {
        await database.close()
        throw error
    }
}

/// The path of a file that is not there yet, in a folder that is gone afterwards unless it is kept.
func withFile<Value>(
    isKept: Bool = TestSwitches.keepsDatabases, _ body: (String) async throws -> Value
) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("test_\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let path = folder.appendingPathComponent("test.db").path
    defer {
        if isKept {
            TestSwitches.say("kept sqlite:\(path)")
        } else {
            try? FileManager.default.removeItem(at: folder)
        }
    }
    return try await body(path)
}

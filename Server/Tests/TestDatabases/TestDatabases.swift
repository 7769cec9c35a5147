import Foundation
public import GatehouseStorage

/// An engine that tests run on.
public enum Engine: String, CaseIterable, Sendable {
    case sqlite, postgresql

    /// The URL of a PostgreSQL server that tests may fill with databases; `scripts/with-postgres` starts one.
    static let server = ProcessInfo.processInfo.environment["GATEHOUSE_TEST_POSTGRES"]

    /// The engines that are there. PostgreSQL may be missing on a developer's machine, loudly, and never in CI.
    public static let available: [Engine] = {
        if server != nil || ProcessInfo.processInfo.environment["GATEHOUSE_REQUIRE_POSTGRESQL"] == "1" {
            return allCases
        }
        let warning =
            "\n*** PostgreSQL IS NOT TESTED: run the tests through `make test` or scripts/with-postgres ***\n\n"
        FileHandle.standardError.write(Data(warning.utf8))
        return [.sqlite]
    }()
}

extension DatabaseOptions {
    /// For a test of what is decided, not of how fast: on a busy machine nobody gives up.
    public static let patient: DatabaseOptions = {
        var options = DatabaseOptions()
        options.patienceSeconds = 60
        return options
    }()
}

public struct TestDatabaseError: Error, CustomStringConvertible {
    public let description: String
}

/// Runs a test on a database of its own, which is gone afterwards: a file in a new folder with the real settings of
/// durability, or a new database of the test server. The location serves to open it once more, as another node would.
public func withDatabase<Value>(
    _ engine: Engine, migrations: [Migration] = [], options: DatabaseOptions = .init(),
    _ test: (Database, DatabaseLocation) async throws -> Value
) async throws -> Value {
    try await withLocation(engine) { location in
        let database = try await Database.open(location, options: options)
        do {
            if !migrations.isEmpty { try await database.migrate(migrations) }
            let value = try await test(database, location)
            await database.close()
            return value
        } catch {
            await database.close()
            throw error
        }
    }
}

/// Runs a test on a place where nothing is yet.
public func withLocation<Value>(
    _ engine: Engine, _ test: (DatabaseLocation) async throws -> Value
) async throws -> Value {
    try await withDatabaseURL(engine) { try await test(DatabaseLocation($0)) }
}

/// The same, as a command's `--database` names it.
public func withDatabaseURL<Value>(_ engine: Engine, _ test: (String) async throws -> Value) async throws -> Value {
    let name = "test_\(UUID().uuidString.lowercased().replacingOccurrences(of: "-", with: ""))"
    switch engine {
    case .sqlite:
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        return try await test("sqlite:\(folder.path)/test.db")
    case .postgresql:
        guard let server = Engine.server, let slash = server.lastIndex(of: "/") else {
            throw TestDatabaseError(description: "GATEHOUSE_TEST_POSTGRES names no server: run scripts/with-postgres")
        }
        await Slots.shared.take()
        defer { Slots.shared.giveBack() }
        try await administer(server, "CREATE DATABASE \(name)")
        do {
            let value = try await test("\(server[..<slash])/\(name)")
            try await administer(server, "DROP DATABASE \(name) WITH (FORCE)")
            return value
        } catch {
            try? await administer(server, "DROP DATABASE \(name) WITH (FORCE)")
            throw error
        }
    }
}

/// Tests run all at once: more databases of the server than that at a time would only wait for each other, and for
/// connections.
private final class Slots: @unchecked Sendable {  // What it holds is touched with the lock held.
    static let shared = Slots()

    /// Not a Mutex: the thread sanitizer does not see through it.
    private let lock = NSLock()
    private var free = 24
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

/// What no transaction may do goes through PostgreSQL's own client.
private func administer(_ server: String, _ statement: String) async throws {
    let psql = try ChildProcess("psql", [server, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-c", statement])
    let isDone = await withCheckedContinuation { continuation in
        psql.follow { _ in
        } end: {
            continuation.resume(returning: $0 == 0)
        }
    }
    guard isDone else { throw TestDatabaseError(description: "psql failed: \(statement)") }
}

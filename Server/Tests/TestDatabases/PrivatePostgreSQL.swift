import Foundation

/// A PostgreSQL server of one test, which the test may stop and start. `scripts/with-postgres` makes it.
public struct PrivatePostgreSQL: Sendable {
    /// The URL of its database `postgres`, which is empty.
    public let url: String
    /// A program that stops and starts it.
    private let control: String

    private static let script = URL(fileURLWithPath: #filePath)
        .appendingPathComponent("../../../../scripts/with-postgres").standardizedFileURL.path

    /// Whether PostgreSQL is on this machine. In CI it has to be.
    public static let isThere =
        FileManager.default.fileExists(atPath: "/usr/lib/postgresql")
        || ProcessInfo.processInfo.environment["GATEHOUSE_REQUIRE_POSTGRESQL"] == "1"

    /// Runs a test with a server of its own, which is gone afterwards, however the test ends.
    public static func run<Value>(_ test: (PrivatePostgreSQL) async throws -> Value) async throws -> Value {
        let environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("GATEHOUSE_TEST_POSTGRES") }
        // Starting takes long on a busy machine, after a crash above all.
        let patience = ["PGCTLTIMEOUT": "300", "GATEHOUSE_REQUIRE_POSTGRESQL": "1"]
        // It ends when its input does, so also when this process is killed.
        let process = try ChildProcess(
            script,
            ["sh", "-c", "echo \"$GATEHOUSE_TEST_POSTGRES\"; echo \"$GATEHOUSE_TEST_POSTGRES_CONTROL\"; exec cat"],
            environment: environment.merging(patience) { $1 }, hasInput: true)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        process.follow {
            line.yield($0)
        } end: { _ in
            line.finish()
        }
        let result: Result<Value, any Error>
        do {
            result = .success(try await test(server(from: lines)))
        } catch {
            result = .failure(error)
        }
        process.closeInput()
        // In a task of its own, because a test that is cancelled waits for nothing any more.
        await Task.detached { for await _ in lines {} }.value
        return try result.get()
    }

    private static func server(from lines: AsyncStream<String>) async throws -> PrivatePostgreSQL {
        var said: [String] = []
        for await line in lines {
            said.append(line)
            if said.count >= 2, said[said.count - 2].hasPrefix("postgres://") {
                return PrivatePostgreSQL(url: said[said.count - 2], control: line)
            }
        }
        throw TestDatabaseError(description: "no PostgreSQL: \(said.joined(separator: " "))")
    }

    /// Makes a user who gets in by a password alone.
    ///
    /// - Returns: the URL of its database for this user, without the password.
    public func addUser(_ name: String, password: String) async throws -> String {
        try await Administrator(url).run(
            """
            CREATE ROLE \(name) LOGIN PASSWORD '\(password)';
            DO $$ BEGIN
                EXECUTE format(
                    'COPY (VALUES (%L), (%L)) TO %L', 'host all \(name) 127.0.0.1/32 scram-sha-256',
                    'host all all 127.0.0.1/32 trust', current_setting('hba_file'));
            END $$
            """)
        // It reads the file when it starts.
        try await crash()
        try await start()
        return url.replacingOccurrences(of: "gatehouse@", with: "\(name)@")
    }

    /// Ends its processes as a crash does.
    public func crash() async throws { try await call("stop", "-m", "immediate") }

    /// Starts it again. It takes connections when this returns.
    public func start() async throws { try await call("start") }

    private func call(_ arguments: String...) async throws {
        let process = try ChildProcess(control, arguments)
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.follow { _ in
        } end: {
            end.yield($0)
            end.finish()
        }
        let status = await ends.first { _ in true }
        guard status == 0 else {
            throw TestDatabaseError(
                description: "pg_ctl \(arguments.joined(separator: " ")): \(status.map(String.init) ?? "cancelled")")
        }
    }
}

import Foundation
import GatehouseStorage
import TestDatabases
import Testing

/// REL-4: a real PgBouncer in front of PostgreSQL.
@Suite(.enabled(if: PgBouncer.isAvailable)) struct PoolerTests {
    @Test("Behind PgBouncer in session mode everything works")
    func sessionMode() async throws {
        try await withPgBouncer("session") { location in
            try await withOpen(location) { database in
                try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for number in 0..<200 {
                        group.addTask {
                            try await database.decide { draft in try draft.insert(into: "items", ["id": number]) }
                        }
                    }
                    try await group.waitForAll()
                }
                let count = try await database.report { tx in
                    try tx.first("SELECT COUNT(*) FROM items") { row in try row[0] as Int }
                }
                #expect(count == 200)
            }
            // The next client gets the same connections to PostgreSQL.
            try await withOpen(location) { try await $0.ping() }
        }
    }

    @Test(
        "A start behind PgBouncer that shares connections is refused, with the reason and the remedy",
        arguments: [
            ["transaction"], ["statement"], ["transaction", "server_round_robin = 1"],
        ])
    func sharedConnections(settings: [String]) async throws {
        try await withPgBouncer(settings[0], Array(settings.dropFirst())) { location in
            // The pool has connections already, as it has with other clients before.
            for _ in 0..<3 {
                await #expect {
                    try await withOpen(location) { try await $0.ping() }
                } throws: { error in
                    "\(error)".contains("pool_mode = session")
                }
            }
        }
    }

    private func withPgBouncer(
        _ mode: String, _ settings: [String] = [], _ test: (DatabaseLocation) async throws -> Void
    ) async throws {
        try await withDatabaseURL(.postgresql) { url in
            let server = try #require(url.firstMatch(of: #/@127\.0\.0\.1:([0-9]+)\/(.+)/#)?.output)
            let pooler = try await PgBouncer(
                of: String(server.1), settings: ["pool_mode = \(mode)"] + settings)
            do {
                try await test(DatabaseLocation("postgres://gatehouse@127.0.0.1:\(pooler.port)/\(server.2)"))
                await pooler.stop()
            } catch {
                await pooler.stop()
                throw error
            }
        }
    }
}

/// PgBouncer as a child process, in a folder of its own.
private final class PgBouncer: Sendable {
    let port: Int
    private let process: ChildProcess
    private let ends: AsyncStream<Int32>

    /// Debian has it in a folder that only root's `PATH` names.
    private static let program = ["/usr/sbin/pgbouncer", "/usr/local/bin/pgbouncer", "/opt/homebrew/bin/pgbouncer"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static let isAvailable: Bool = {
        if Engine.available.contains(.postgresql), program != nil { return true }
        let warning =
            "*** PgBouncer is not tested: apt-get install pgbouncer, and run the tests through `make test` ***\n"
        FileHandle.standardError.write(Data(warning.utf8))
        return false
    }()

    /// - Parameter server: the port of PostgreSQL.
    init(of server: String, settings: [String]) async throws {
        port = try LoopbackListener.freePort()
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("test_\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let users = folder.appendingPathComponent("users").path
        try Data("\"gatehouse\" \"\"\n".utf8).write(to: URL(fileURLWithPath: users))
        let file = folder.appendingPathComponent("pgbouncer.ini").path
        let text =
            ["[databases]", "* = host=127.0.0.1 port=\(server)", "[pgbouncer]", "listen_addr = 127.0.0.1"]
            + ["listen_port = \(port)", "unix_socket_dir =", "auth_type = trust", "auth_file = \(users)"] + settings
        try Data(text.joined(separator: "\n").utf8).write(to: URL(fileURLWithPath: file))
        // It refuses to run as root.
        let user = getuid() == 0 ? ["-u", "nobody"] : []
        if getuid() == 0 {
            for path in [folder.path, users, file] {
                try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: path)
            }
        }
        process = try ChildProcess(Self.program ?? "pgbouncer", user + [file])
        let (lines, said) = AsyncStream.makeStream(of: String.self)
        let (ends, ended) = AsyncStream.makeStream(of: Int32.self)
        self.ends = ends
        process.follow {
            said.yield($0)
        } end: { code in
            said.finish()
            ended.yield(code)
            ended.finish()
        }
        var log: [String] = []
        for await line in lines {
            log.append(line)
            if line.contains("process up") { return }
        }
        throw NotStarted(log: log)
    }

    func stop() async {
        process.signal(SIGTERM)
        for await _ in ends {}
    }

    private struct NotStarted: Error {
        let log: [String]
    }
}

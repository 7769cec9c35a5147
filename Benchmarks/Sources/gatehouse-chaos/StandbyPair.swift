import Foundation
import LoadGenerator

/// A PostgreSQL with a synchronous standby, both in a temporary folder.
final class StandbyPair: @unchecked Sendable {  // The scenario and its fault use it one after the other.
    private static let ports = [18_781, 18_782]
    private static let database = "game"

    private let folder: String
    /// What makes a command run in the folder, and not as root, which PostgreSQL refuses.
    private let prefix: [String]
    private var primary = 0

    init() throws {
        guard (try? run(["which", "pg_basebackup", "pg_ctl"])) != nil else {
            throw Absent("PostgreSQL isn't there: run it by scripts/with-postgres")
        }
        (folder, prefix) = try postgresFolder()
        do {
            try make()
        } catch {
            remove()
            throw error
        }
    }

    private func make() throws {
        try command(["initdb", "-D", data(0), "-U", "gatehouse", "-A", "trust", "-E", "UTF8", "--locale=C"])
        try append(
            """
            listen_addresses = '127.0.0.1'
            port = \(Self.ports[0])
            unix_socket_directories = '\(folder)'
            wal_retrieve_retry_interval = '200ms'

            """,
            to: "\(data(0))/postgresql.conf")
        try start(0)
        try command(["createdb", "-h", "127.0.0.1", "-p", "\(Self.ports[0])", "-U", "gatehouse", Self.database])
        try attachStandby()
    }

    /// Both addresses, of which a server uses the one that takes writes.
    var place: Place { Place(folder: placeFolder, url: url(host: "127.0.0.1,127.0.0.1", port: "18781,18782")) }

    /// The address of the standby alone.
    var standbyURL: String { url(host: "127.0.0.1", port: "\(Self.ports[1 - primary])") }

    private func url(host: String, port: String) -> String {
        "postgres://gatehouse@/\(Self.database)?host=\(host)&port=\(port)"
            + (host.contains(",") ? "&target_session_attrs=read-write" : "")
    }

    private var placeFolder: String { "\(folder)-place" }

    /// Makes the other cluster a copy of the primary that follows it, and has each commit wait for it.
    func attachStandby() throws {
        let standby = 1 - primary
        try command(["rm", "-rf", data(standby)])
        let source = "host=127.0.0.1 port=\(Self.ports[primary]) user=gatehouse"
        try command(["pg_basebackup", "-D", data(standby), "-d", source, "-R", "-X", "stream", "-c", "fast"])
        // A primary that is alone must not wait for a standby.
        try append(
            "port = \(Self.ports[standby])\nsynchronous_standby_names = ''\n",
            to: "\(data(standby))/postgresql.auto.conf")
        try start(standby)
        try execute("ALTER SYSTEM SET synchronous_standby_names = '*'")
        try execute("SELECT pg_reload_conf()")
        for _ in 0..<200 {
            if try execute("SELECT sync_state FROM pg_stat_replication") == "sync\n" { return }
            usleep(50_000)
        }
        throw Broken(description: "the standby does not follow: \(folder)/log-\(standby)")
    }

    /// Ends every process of the primary at once, as the loss of its machine does.
    func killPrimary() throws {
        let file = try String(contentsOfFile: "\(data(primary))/postmaster.pid", encoding: .utf8)
        let parent = String(file.prefix { $0.isNumber })
        let children = try run(["pgrep", "-P", parent]).split(separator: "\n").map(String.init)
        // A process that has ended by itself meanwhile is no failure.
        _ = try? run(["kill", "-9", parent] + children)
    }

    /// The standby becomes the primary.
    func promote() throws {
        primary = 1 - primary
        try command(["pg_ctl", "promote", "-w", "-D", data(primary)])
    }

    func remove() {
        for number in [0, 1] { _ = try? command(["pg_ctl", "stop", "-m", "immediate", "-D", data(number)]) }
        for folder in [folder, placeFolder] { try? FileManager.default.removeItem(atPath: folder) }
    }

    private func start(_ number: Int) throws {
        try command(["pg_ctl", "start", "-w", "-D", data(number), "-l", "\(folder)/log-\(number)"])
    }

    @discardableResult
    private func execute(_ statement: String) throws -> String {
        try run([
            "psql", url(host: "127.0.0.1", port: "\(Self.ports[primary])"), "-X", "-q", "-A", "-t", "-v",
            "ON_ERROR_STOP=1", "-c", statement,
        ])
    }

    private func data(_ number: Int) -> String { "\(folder)/data-\(number)" }

    @discardableResult
    private func command(_ words: [String]) throws -> String { try run(prefix + words) }

    private func append(_ text: String, to path: String) throws {
        guard let file = FileHandle(forWritingAtPath: path) else { throw Broken(description: "\(path) isn't there") }
        try file.seekToEnd()
        try file.write(contentsOf: Data(text.utf8))
        try file.close()
    }
}

/// A new temporary folder for clusters of PostgreSQL, and what makes a command run in it as a user whom PostgreSQL accepts.
func postgresFolder() throws -> (folder: String, prefix: [String]) {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-\(UUID().uuidString)").path
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    do {
        if getuid() == 0 { try run(["chown", "postgres", folder]) }
    } catch {
        try? FileManager.default.removeItem(atPath: folder)
        throw error
    }
    return (folder, postgresUser(in: folder))
}

/// What makes a command run in a folder, and as another user than root, whom PostgreSQL refuses.
private func postgresUser(in folder: String) -> [String] {
    ["env", "-C", folder]
        + (getuid() == 0
            ? ["setpriv", "--reuid", "postgres", "--regid", "postgres", "--clear-groups", "env", "HOME=\(folder)"]
            : [])
}

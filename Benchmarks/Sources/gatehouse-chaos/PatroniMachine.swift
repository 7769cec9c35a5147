import Foundation
import LoadGenerator

/// A machine of the recipe in `docs/failover.md`, as processes with an address of their own: etcd, and PostgreSQL under Patroni on the
/// first two. They run with the files of `deploy/`, with this machine's addresses and folders.
final class PatroniMachine: @unchecked Sendable {  // The scenario and its fault use it one after the other.
    static let names = ["db-a", "db-b", "witness"]
    static let (postgres, rest, client, peer) = (18_784, 18_785, 18_786, 18_787)
    private static let etcdFile = "deploy/etcd.env"
    private static let patroniFile = "deploy/patroni.yml"

    let name: String
    let address: String
    private let folder: String
    /// What makes a command run as the user of PostgreSQL.
    private let prefix: [String]
    private var etcd: BackgroundProcess?
    private var patroni: BackgroundProcess?

    /// - Parameters:
    ///   - number: 0 and 1 have a database, 2 only votes.
    ///   - folder: belongs to the user of PostgreSQL.
    init(_ number: Int, folder: String, prefix: [String]) {
        name = Self.names[number]
        address = "127.0.0.2\(number + 1)"
        self.folder = folder
        self.prefix = prefix
    }

    var configuration: String { "\(folder)/\(name).yml" }
    private var data: String { "\(folder)/\(name)" }
    var log: String { (try? String(contentsOfFile: "\(folder)/\(name).log", encoding: .utf8)) ?? "" }

    /// Writes Patroni's file.
    func configure() throws {
        let programs = (try run(["which", "pg_ctl"]).trimmingCharacters(in: .newlines) as NSString)
            .resolvingSymlinksInPath
        let text = try deployedFile(
            Self.patroniFile,
            replacing: [
                ("name: db-a", "name: \(name)"), ("10.0.0.21:8008", "\(address):\(Self.rest)"),
                ("10.0.0.21:5432", "\(address):\(Self.postgres)"), (":2379", ":\(Self.client)"),
                ("10.0.0.", "127.0.0."),
                ("/var/lib/postgresql/15/gatehouse", data), ("/var/lib/postgresql/gatehouse.pgpass", "\(data).pgpass"),
                ("/usr/lib/postgresql/15/bin", (programs as NSString).deletingLastPathComponent),
                ("/var/run/postgresql", "\(folder)/\(name)-run"),
                ("/etc/gatehouse-db", "\(folder)/tls"),
                // The end of this Patroni must not restart the machine of the test.
                ("mode: automatic", "mode: 'off'"),
            ])
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        try run(prefix + ["mkdir", "-p", "\(folder)/\(name)-run"])
    }

    func startEtcd() throws {
        let text = try deployedFile(
            Self.etcdFile,
            replacing: [
                (":2379", ":\(Self.client)"), (":2380", ":\(Self.peer)"), ("10.0.0.", "127.0.0."),
                ("/var/lib/etcd/gatehouse", "\(folder)/\(name)-etcd"), ("/etc/gatehouse-db", "\(folder)/tls"),
            ])
        let variables = text.split(separator: "\n").map(String.init).filter { !$0.hasPrefix("#") }.map { line in
            // The list of all members is the same everywhere.
            line.hasPrefix("ETCD_INITIAL_CLUSTER=")
                ? line : line.replacing("127.0.0.21", with: address).replacing("NAME=db-a", with: "NAME=\(name)")
        }
        etcd = try BackgroundProcess(prefix + ["env"] + variables + ["etcd"], log: "\(folder)/\(name)-etcd.log")
    }

    func startPatroni() throws {
        patroni = try BackgroundProcess(prefix + ["patroni", configuration], log: "\(folder)/\(name).log")
    }

    /// Ends every process at once, as the loss of the machine does.
    func kill() throws {
        try signal("-9")
        patroni?.wait()
        etcd?.wait()
        (patroni, etcd) = (nil, nil)
    }

    /// Suspends every process, so that connections stay open without an answer, as when the machine loses its network.
    func freeze() throws { try signal("-STOP") }

    private func signal(_ signal: String) throws {
        let file = try String(contentsOfFile: "\(data)/postmaster.pid", encoding: .utf8)
        let parent = String(file.prefix { $0.isNumber })
        let children = try run(["pgrep", "-P", parent]).split(separator: "\n").map(String.init)
        // A process that has ended by itself meanwhile is no failure.
        _ = try? run(["kill", signal] + [patroni, etcd].compactMap { $0.map { "\($0.id)" } } + [parent] + children)
    }

    /// Ends Patroni alone. PostgreSQL goes on, and nobody tells it any more whether it is the primary.
    func killPatroni() throws {
        guard let patroni else { throw Broken(description: "no Patroni runs on \(name)") }
        try run(["kill", "-9", "\(patroni.id)"])
        patroni.wait()
        self.patroni = nil
    }

    func stopEtcd() {
        etcd?.stop()
        etcd = nil
    }

    func remove() {
        _ = patroni.map { try? run(["kill", "-9", "\($0.id)"]) }
        patroni?.wait()
        _ = try? run(prefix + ["pg_ctl", "stop", "-m", "immediate", "-D", data])
        stopEtcd()
    }

    /// Whether Patroni answers 200 for this path: `/primary`, `/sync`.
    func says(_ path: String) -> Bool {
        var requests = RequestList()
        requests.add(HTTPRequest("GET", path).bytes)
        var load = Load(port: Self.rest, connections: 1, seconds: 1)
        load.address = address
        load.patience = 2
        return load.run(requests).statuses[200] == 1
    }
}

import Foundation
import LoadGenerator

/// PostgreSQL under Patroni with etcd, and HAProxy in front of it: the recipe of `docs/failover.md` with the files of `deploy/`.
final class PatroniCluster: @unchecked Sendable {  // The scenario and its fault use it one after the other.
    private static let port = 18_783

    private let folder: String
    private let prefix: [String]
    private let hasProxy: Bool
    private var proxy: HAProxy?
    let machines: [PatroniMachine]

    /// - Parameter hasProxy: whether servers reach the database by way of HAProxy. Otherwise they try its addresses themselves, and
    ///   acknowledge logins that are lost where Patroni alone dies on the primary's machine.
    init(hasProxy: Bool) throws {
        self.hasProxy = hasProxy
        for program in ["pg_ctl", "patroni", "patronictl", "etcd", "haproxy"]
        where (try? run(["which", program])) == nil {
            throw Absent("\(program) isn't there")
        }
        (folder, prefix) = try postgresFolder()
        machines = [0, 1, 2].map { [folder, prefix] in PatroniMachine($0, folder: folder, prefix: prefix) }
        do {
            try make()
        } catch {
            remove()
            throw error
        }
    }

    private func make() throws {
        try makeCertificates()
        for machine in machines { try machine.startEtcd() }
        for machine in databases { try machine.configure() }
        try databases[0].startPatroni()
        try wait(60, "\(databases[0].name) is no primary") { databases[0].says("/primary") }
        try databases[1].startPatroni()
        try waitForStandby(databases[1])
        let proxied = "db.internal:\(Self.port)"
        proxy = try HAProxy(
            "deploy/haproxy-postgresql.cfg", folder: folder,
            here: [
                ("127.0.0.1:5432", "127.0.0.1:\(Self.port)"), (":5432", ":\(PatroniMachine.postgres)"),
                ("10.0.0.", "127.0.0."),
                ("port 8008", "port \(PatroniMachine.rest)"),
            ])
        // Until its checks have failed twice, HAProxy takes the standby for a primary.
        try wait(30, "HAProxy does not tell primary and standby apart") {
            proxy?.log.contains("Server postgresql/\(databases[1].name) is DOWN") ?? false
        }
        let superuser = "postgres://postgres:SUPERUSER-PASSWORD@\(proxied)/postgres?hostaddr=127.0.0.1&\(transport)"
        try run([
            "psql", superuser, "-X", "-q", "-v", "ON_ERROR_STOP=1", "-v", "password=secret", "-f",
            "deploy/postgresql.sql",
        ])
    }

    /// An authority, and one certificate for all machines.
    private func makeCertificates() throws {
        try run(prefix + ["mkdir", "-p", tls])
        let key = ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2"]
        try run(prefix + key + ["-subj", "/CN=databases", "-keyout", "\(tls)/ca.key", "-out", "\(tls)/ca.crt"])
        // On the loopback interface etcd sees its peers come from 127.0.0.1.
        let names = "DNS:db.internal,IP:127.0.0.1," + machines.map { "IP:\($0.address)" }.joined(separator: ",")
        try run(
            prefix + key + [
                "-CA", "\(tls)/ca.crt", "-CAkey", "\(tls)/ca.key", "-subj", "/CN=db.internal",
                "-addext", "basicConstraints=critical,CA:FALSE", "-addext", "subjectAltName=\(names)",
                "-addext", "extendedKeyUsage=serverAuth,clientAuth",
                "-keyout", "\(tls)/server.key", "-out", "\(tls)/server.crt",
            ])
    }

    private var tls: String { "\(folder)/tls" }
    private var transport: String { "sslmode=verify-full&sslrootcert=\(tls)/ca.crt" }

    var databases: ArraySlice<PatroniMachine> { machines.prefix(2) }

    /// The database as servers reach it.
    var place: Place {
        let direct = databases.map { "\($0.address):\(PatroniMachine.postgres)" }.joined(separator: ",")
        let addresses = hasProxy ? "db.internal:\(Self.port)" : direct
        let proxied = hasProxy ? "hostaddr=127.0.0.1&" : ""
        return Place(
            folder: "\(folder)-place",
            url: "postgres://gatehouse_app:secret@\(addresses)/gatehouse_app?\(proxied)\(transport)")
    }

    /// The machine whose Patroni has the key of the primary, and the other one.
    func roles() throws -> (primary: PatroniMachine, standby: PatroniMachine) {
        guard let primary = databases.first(where: { $0.says("/primary") }),
            let standby = databases.first(where: { $0 !== primary })
        else { throw Broken(description: "there is no primary: \(try list())") }
        return (primary, standby)
    }

    /// Waits until a machine follows the primary, whose commits wait for it.
    func waitForStandby(_ machine: PatroniMachine) throws {
        try wait(90, "\(machine.name) is no synchronous standby") { machine.says("/sync") }
    }

    /// Waits until commits wait for nobody, because the standby is gone.
    func waitForNoStandby() throws {
        let question = ["psql", place.url, "-X", "-A", "-t", "-c", "SHOW synchronous_standby_names"]
        try wait(30, "commits still wait for the standby") { (try? run(question)) == "\n" }
    }

    func list() throws -> String { try control("list") }

    @discardableResult
    func control(_ words: String...) throws -> String {
        try run(prefix + ["patronictl", "-c", databases[0].configuration] + words)
    }

    /// Waits until the condition is true, and throws when it isn't in time.
    func wait(_ seconds: Double, _ complaint: String, _ condition: () throws -> Bool) throws {
        let end = Date().addingTimeInterval(seconds)
        while try !condition() {
            guard Date() < end else {
                let logs = machines.map { "\($0.name): \($0.log.suffix(2_000))" }.joined(separator: "\n")
                throw Broken(description: "\(complaint) after \(Int(seconds)) s\n\(logs)")
            }
            usleep(50_000)
        }
    }

    func remove() {
        proxy?.stop()
        for machine in machines { machine.remove() }
        for folder in [folder, "\(folder)-place"] { try? FileManager.default.removeItem(atPath: folder) }
    }
}

import Foundation
import LoadGenerator

/// HAProxy with a configuration that operators get, on this machine's addresses.
struct HAProxy {
    static let port = 18_773

    private let process: BackgroundProcess
    private let logFile: String

    /// In front of two nodes, by `deploy/haproxy.cfg`.
    ///
    /// - Parameter nodes: the servers' ports.
    init(nodes: [Int], folder: String) throws {
        try self.init(
            "deploy/haproxy.cfg", folder: folder,
            here: [
                ("maxconn 20000", "maxconn 1000"),
                ("bind :443 ssl crt /etc/haproxy/gatehouse.pem alpn h2,http/1.1", "bind 127.0.0.1:\(Self.port)"),
                ("10.0.0.11:8080", "127.0.0.1:\(nodes[0])"), ("10.0.0.12:8080", "127.0.0.1:\(nodes[1])"),
            ])
    }

    /// - Parameter here: what the file says, and what it has to say on this machine.
    init(_ deployed: String, folder: String, here: [(String, String)]) throws {
        guard (try? run(["which", "haproxy"])) != nil else { throw Absent("haproxy isn't there") }
        let local = [("    user haproxy\n    group haproxy\n", "")] + here
        let file = "\(folder)/haproxy.cfg"
        try Data(deployedFile(deployed, replacing: local).utf8).write(to: URL(fileURLWithPath: file))
        logFile = "\(folder)/haproxy.log"
        process = try BackgroundProcess(["haproxy", "-db", "-f", file], log: logFile)
    }

    var log: String { (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? "" }

    func stop() { process.stop() }
}

/// A file of `deploy/` with other addresses and folders, each of which it must have.
func deployedFile(_ path: String, replacing here: [(String, String)]) throws -> String {
    var text = try String(contentsOfFile: path, encoding: .utf8)
    for (given, replacement) in here {
        try require(text.contains(given), "\(path) has no longer: \(given)")
        text = text.replacing(given, with: replacement)
    }
    return text
}

import Foundation
import LoadGenerator

/// HAProxy with the configuration that operators get, `deploy/haproxy.cfg`, on this machine's addresses.
struct HAProxy {
    static let port = 18_773
    private static let template = "deploy/haproxy.cfg"

    private let process: BackgroundProcess
    private let logFile: String

    /// - Parameter nodes: the servers' ports.
    init(nodes: [Int], folder: String) throws {
        guard (try? run(["which", "haproxy"])) != nil else { throw Absent("haproxy isn't there") }
        var text = try String(contentsOfFile: Self.template, encoding: .utf8)
        let local = [
            ("    user haproxy\n    group haproxy\n", ""), ("maxconn 20000", "maxconn 1000"),
            ("bind :443 ssl crt /etc/haproxy/gatehouse.pem alpn h2,http/1.1", "bind 127.0.0.1:\(Self.port)"),
            ("10.0.0.11:8080", "127.0.0.1:\(nodes[0])"), ("10.0.0.12:8080", "127.0.0.1:\(nodes[1])"),
        ]
        for (given, here) in local {
            try require(text.contains(given), "\(Self.template) has no longer: \(given)")
            text = text.replacing(given, with: here)
        }
        let file = "\(folder)/haproxy.cfg"
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
        logFile = "\(folder)/haproxy.log"
        process = try BackgroundProcess(["haproxy", "-db", "-f", file], log: logFile)
    }

    var log: String { (try? String(contentsOfFile: logFile, encoding: .utf8)) ?? "" }

    func stop() { process.stop() }
}

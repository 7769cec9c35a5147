import Foundation

/// `gatehouse serve` as a separate process, with the system's statistics about it.
public final class ServerProcess: Sendable {
    public let port: Int
    private let process: Child

    public struct Failed: Error, CustomStringConvertible {
        public let description: String
        public init(description: String) { self.description = description }
    }

    /// Starts a server and waits until it wants players.
    ///
    /// - Parameters:
    ///   - folder: where its log and its key go.
    ///   - arguments: after `serve`.
    ///   - tool: a command that runs the server, and before it variables of the environment as `env` takes them.
    public init(
        _ executable: String, folder: String, port: Int, arguments: [String], under tool: [String] = []
    ) throws {
        self.port = port
        let command =
            tool + [
                executable, "serve", "--port", String(port), "--log-level", "warning",
                "--allow-local-providers", "true",
                // All players of a load come from this machine.
                "--max-connections-per-address", "0",
            ] + arguments
        let log = "\(folder)/server.log"
        process = try Child(command, folder: folder, output: log, complaints: log)
        // A minute: under valgrind, beside a busy machine's other work, ten seconds were not enough.
        for _ in 0..<6_000 {
            if Self.isReady(port) { return }
            guard process.isRunning else {
                throw Failed(description: "the server has ended with \(process.wait()): see \(log)")
            }
            usleep(10_000)
        }
        throw Failed(description: "the server is not ready: see \(log)")
    }

    private static func isReady(_ port: Int) -> Bool {
        var requests = RequestList()
        requests.add(HTTPRequest("GET", "/health/ready").bytes)
        var load = Load(port: port, connections: 1, seconds: 1)
        load.patience = 1
        return load.run(requests).successes == 1
    }

    deinit {
        if process.isRunning { kill(process.id, SIGKILL) }
    }

    public var id: Int32 { process.id }
    public var isRunning: Bool { process.isRunning }

    public func signal(_ number: Int32) { kill(process.id, number) }

    /// Waits for its end; returns its exit code.
    @discardableResult
    public func wait() -> Int32 {
        process.wait()
    }

    public func stop() {
        signal(SIGTERM)
        wait()
    }

    /// Processor time that it has used, in microseconds.
    public var processorMicroseconds: Double {
        guard let text = try? String(contentsOfFile: "/proc/\(id)/stat", encoding: .utf8),
            let after = text.range(of: ") ")
        else { return 0 }
        let fields = text[after.upperBound...].split(separator: " ")
        guard fields.count > 13, let user = Double(fields[11]), let system = Double(fields[12]) else { return 0 }
        return (user + system) * 1e6 / Double(sysconf(Int32(_SC_CLK_TCK)))
    }

    /// Memory in megabytes: what it holds now, and the most since ``forgetPeak()``.
    public var memory: (now: Double, peak: Double) { process.memory }

    public func forgetPeak() {
        try? Data("5".utf8).write(to: URL(fileURLWithPath: "/proc/\(id)/clear_refs"))
    }
}

/// Prints a line at once, also into a pipe.
public func say(_ line: String) {
    FileHandle.standardOutput.write(Data("\(line)\n".utf8))
}

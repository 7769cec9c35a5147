import Foundation
import GatehouseWire
import Synchronization
import TestDatabases
import Testing

/// The command as a process, as an operator runs it.
final class Command: Sendable {
    /// Lines of standard output and standard error, as they come.
    let lines: AsyncStream<String>
    private let process: ChildProcess
    private let words: [String]
    private let exit: Task<Int32, Never>

    /// The processes started in each folder. They end with the folder (``withFolder(_:)``).
    private static let started = Mutex<[URL: [Command]]>([:])

    /// The command is in the same folder as the test runner.
    static let gatehouse = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
        .appendingPathComponent("gatehouse").path

    /// The longest time that a test has, which is that of the browser's longest walk.
    private static let mostSeconds = 2_400

    /// Cheap hashes are less secure, and a busy machine's providers are slow, but the tests of commands don't depend on that.
    private static let settings = ["GATEHOUSE_PASSWORD_COST": "8", "GATEHOUSE_PROVIDER_SECONDS": "60"]

    /// - Parameters:
    ///   - folder: from ``withFolder(_:)``.
    ///   - environment: its variables, besides a path and a separate home.
    ///   - hasInput: whether it has an input for ``write(_:)``.
    init(
        _ arguments: [String], in folder: URL, environment: [String: String] = [:], executable: String = gatehouse,
        hasInput: Bool = false
    ) throws {
        process = try ChildProcess(
            executable, arguments,
            environment: ["PATH": "/usr/bin:/bin", "HOME": folder.path].merging(Self.settings) { $1 }
                .merging(environment) { $1 },
            folder: folder.path, hasInput: hasInput)
        words = [executable] + arguments
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let (ends, end) = AsyncStream.makeStream(of: Int32.self)
        process.follow(forSeconds: Self.mostSeconds) {
            line.yield($0)
        } end: {
            line.finish()
            end.yield($0)
            end.finish()
        }
        self.lines = lines
        exit = Task { await ends.first { _ in true } ?? -1 }
        Self.started.withLock { $0[folder, default: []].append(self) }
    }

    func signal(_ number: Int32) { process.signal(number) }

    /// Writes a line to its standard input.
    func write(_ line: String) { process.write(line) }

    /// Ends its standard input.
    func closeInput() { process.closeInput() }

    /// Its exit code. If the test is cancelled in the meantime, for example by its time limit, the process is ended.
    func status() async -> Int32 {
        await withTaskCancellationHandler {
            let status = await exit.value
            if Task.isCancelled {
                Issue.record("cancelled while waiting for the end of: \(words.joined(separator: " "))")
            }
            return status
        } onCancel: {
            signal(SIGKILL)
        }
    }

    /// Ends the processes that a test has left running.
    static func end(in folder: URL) async {
        let commands = started.withLock { $0.removeValue(forKey: folder) } ?? []
        for command in commands { command.signal(SIGKILL) }
        for command in commands { _ = await command.exit.value }
    }

    /// All of its output until it ends, and its exit code.
    func finish() async -> Result {
        var all: [String] = []
        for await line in lines { all.append(line) }
        return Result(status: await status(), lines: all)
    }

    struct Result: Sendable {
        let status: Int32
        let lines: [String]
        var text: String { lines.joined(separator: "\n") }
    }

    static func run(
        _ arguments: [String], in folder: URL, environment: [String: String] = [:], executable: String = gatehouse
    ) async throws -> Result {
        try await Command(arguments, in: folder, environment: environment, executable: executable).finish()
    }
}

extension Command {
    /// Runs the command with --json. Every line of its standard output has to be an object.
    static func objects(_ arguments: [String], in folder: URL) async throws -> [[String: JSONValue]] {
        let result = try await run(
            ["-c", #"exec "$0" "$@" 2>errors.txt"#, gatehouse] + arguments + ["--json"], in: folder,
            executable: "/bin/sh")
        let errors = try String(contentsOf: folder.appendingPathComponent("errors.txt"), encoding: .utf8)
        #expect(result.status == 0, "\(arguments): \(result.text) \(errors)")
        return try result.lines.map { line in
            try #require(
                try? JSONDecoder().decode([String: JSONValue].self, from: Data(line.utf8)), "\(arguments): \(line)")
        }
    }

    /// Creates a database with an app; the result is that of the app's creation.
    static func createApp(
        _ name: String, _ data: [String] = [], in folder: URL, environment: [String: String] = [:]
    ) async throws -> Result {
        let migrated = try await run(["migrate"] + data, in: folder, environment: environment)
        guard migrated.status == 0 else { return migrated }
        return try await run(["app", "create", name] + data, in: folder, environment: environment)
    }
}

/// A running `gatehouse serve` or `dev` whose port is known.
struct ServingCommand: Sendable {
    let command: Command
    let port: Int
    /// Its output until then.
    let greeting: [String]

    var url: String { "http://127.0.0.1:\(port)" }

    static func start(_ arguments: [String], in folder: URL) async throws -> ServingCommand {
        let command = try Command(arguments + ["--port", "0"], in: folder)
        var greeting: [String] = []
        for await line in command.lines {
            greeting.append(line)
            if let port = port(in: line) { return ServingCommand(command: command, port: port, greeting: greeting) }
        }
        throw NoPort(lines: greeting, status: await command.status())
    }

    struct NoPort: Error {
        let lines: [String]
        let status: Int32
    }

    private static func port(in line: String) -> Int? {
        if let log = try? JSONDecoder().decode([String: LogValue].self, from: Data(line.utf8)) {
            // Others describe the server's settings, among them its address, before it has a port.
            return log["message"]?.text == "serving" ? log["port"]?.text.flatMap { Int($0) } : nil
        }
        guard let range = line.range(of: "http://127.0.0.1:") else { return nil }
        return Int(line[range.upperBound...].prefix { $0.isNumber })
    }

    private struct LogValue: Decodable {
        let text: String?
        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            text = (try? container.decode(String.self)) ?? (try? container.decode(Int.self)).map(String.init)
        }
    }
}

/// Runs a test with a separate folder. All processes started in it have ended when this returns, however the test ends.
func withFolder<Value>(_ test: (URL) async throws -> Value) async throws -> Value {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("gatehouse-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let result: Result<Value, any Error>
    do {
        result = .success(try await test(folder))
    } catch {
        result = .failure(error)
    }
    await Command.end(in: folder)
    try? FileManager.default.removeItem(at: folder)
    return try result.get()
}

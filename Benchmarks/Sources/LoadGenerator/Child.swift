import Foundation

/// A child process that writes into files. Foundation's `Process` also waits for everything that the child has started, such as a
/// database that should stay; this class waits only for the child.
final class Child: @unchecked Sendable {  // The status is read and written with the lock held.
    let id: pid_t
    private let lock = NSLock()
    private var code: Int32?

    /// - Parameters:
    ///   - output: for standard output, which is appended to.
    ///   - complaints: for standard error.
    init(
        _ command: [String], folder: String? = nil, input: String = "/dev/null", output: String, complaints: String
    ) throws {
        // `env` changes the folder and then is the command.
        let words = ["env"] + (folder.map { ["-C", $0] } ?? []) + command
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, input, O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, output, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, complaints, O_WRONLY | O_CREAT | O_APPEND, 0o600)
        var child: pid_t = 0
        let arguments = words.map { strdup($0) } + [nil]
        let variables = ProcessInfo.processInfo.environment.map { strdup("\($0.key)=\($0.value)") } + [nil]
        defer { for text in arguments + variables { free(text) } }
        let status = posix_spawnp(&child, "env", &actions, nil, arguments, variables)
        guard status == 0 else { throw ServerProcess.Failed(description: "\(command[0]) can't be started: \(status)") }
        id = child
    }

    var isRunning: Bool { lock.withLock { status() == nil } }

    /// Memory in megabytes: what it holds now, and the most that it has held.
    var memory: (now: Double, peak: Double) {
        let text = (try? String(contentsOfFile: "/proc/\(id)/status", encoding: .utf8)) ?? ""
        func megabytes(_ name: String) -> Double {
            let line = text.split(separator: "\n").first { $0.hasPrefix(name) }
            return (line?.split(separator: " ").dropLast().last).flatMap { Double($0) }.map { $0 / 1_024 } ?? 0
        }
        return (megabytes("VmRSS:"), megabytes("VmHWM:"))
    }

    /// Waits for its end. A signal counts as the shell counts it: 128 and more.
    func wait() -> Int32 {
        while true {
            if let code = lock.withLock({ status() }) { return code }
            usleep(2_000)
        }
    }

    /// Its exit status, if it has ended.
    private func status() -> Int32? {
        if let code { return code }
        var status: Int32 = 0
        guard waitpid(id, &status, WNOHANG) == id else { return nil }
        let signal = status & 0x7f
        code = signal == 0 ? (status >> 8) & 0xff : 128 + signal
        return code
    }
}

/// Runs a command and returns what it printed.
@discardableResult
public func run(_ command: [String], input: String? = nil) throws -> String {
    let stem = "\(NSTemporaryDirectory())/gatehouse-\(UUID().uuidString)"
    let files = (input: "\(stem).in", output: "\(stem).out", complaints: "\(stem).err")
    defer {
        for file in [files.input, files.output, files.complaints] { try? FileManager.default.removeItem(atPath: file) }
    }
    if let input { try Data(input.utf8).write(to: URL(fileURLWithPath: files.input)) }
    let code = try Child(
        command, input: input == nil ? "/dev/null" : files.input, output: files.output,
        complaints: files.complaints
    ).wait()
    func text(_ path: String) -> String { (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    guard code == 0 else {
        throw ServerProcess.Failed(
            description: "\(command.prefix(3).joined(separator: " ")) ended with \(code): \(text(files.complaints))")
    }
    return text(files.output)
}

/// A command that runs beside the servers until it is stopped.
public struct BackgroundProcess: Sendable {
    private let child: Child

    /// - Parameter log: the file for what it prints.
    public init(_ command: [String], log: String) throws {
        child = try Child(command, output: log, complaints: log)
    }

    public var id: Int32 { child.id }
    public var isRunning: Bool { child.isRunning }

    /// Memory in megabytes: what it holds now, and the most that it has held. Both are 0 once it has ended.
    public var memory: (now: Double, peak: Double) { child.memory }

    public func stop() {
        kill(child.id, SIGTERM)
        wait()
    }

    /// Waits for its end, and returns its exit status.
    @discardableResult
    public func wait() -> Int32 { child.wait() }
}

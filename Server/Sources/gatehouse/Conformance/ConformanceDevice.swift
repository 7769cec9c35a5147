import FakeProviders
import GatehousePlatform
import GatehouseSecurity
import GatehouseServer
import GatehouseWire
import Subprocess
import Synchronization

/// A device with the client that is judged. Its storage stays when its game ends and begins again.
final class ConformanceDevice {
    /// What the client has printed for a step.
    struct Answer {
        let line: [String: JSONValue]

        var succeeded: Bool { line["ok"] == true }
        var error: [String: JSONValue] { line["error"]?.objectValue ?? [:] }
        var code: Int64? { error["code"]?.integerValue }
    }

    /// What the player does at a provider's page.
    enum Browsing {
        case login, cancel
        /// The browser comes back with a code that the server has not issued.
        case forgedCode
    }

    let storage: String
    /// The player's name at the providers.
    var player: String
    var browsing = Browsing.login
    private let command: [String]
    private let environment: [String: String]
    private let patience: Int
    private var process: ClientProcess?
    /// Everything that the client has written, to look for secrets in it.
    private(set) var output: [String] = []

    init(command: [String], environment: [String: String], storage: String, player: String, patience: Int) {
        self.command = command
        self.environment = environment.merging(["GATEHOUSE_STORAGE": storage]) { $1 }
        self.storage = storage
        self.player = player
        self.patience = patience
    }

    /// Has the client do a step, and waits for its answer.
    func step(_ text: String) async throws -> Answer {
        let process: ClientProcess
        if let running = self.process {
            process = running
        } else {
            process = ClientProcess(command, environment)
            self.process = process
        }
        process.write(text)
        let watchdog = process.watchdog(seconds: patience)
        defer { watchdog.cancel() }
        while let line = await process.next() {
            output.append(line)
            guard let members = (try? JSONDecoder().decode(JSONValue.self, from: Data(line.utf8)))?.objectValue else {
                continue
            }
            if let address = members["open"]?.stringValue {
                try browse(address, process)
            } else if members["ok"] != nil {
                return Answer(line: members)
            }
        }
        self.process = nil
        let ending = process.isLate ? "had no answer within \(patience) seconds" : "ended"
        throw Verdict("at `\(text)` the client \(ending). \(process.errors.suffix(3).joined(separator: " / "))")
    }

    private func browse(_ address: String, _ process: ClientProcess) throws {
        guard let url = URL(string: address) else { throw Verdict("\(address) is no address to open") }
        let browser = FakeBrowser(player: player, action: browsing == .cancel ? .cancel : .login)
        let forges = browsing == .forgedCode
        // The client may wait at its own listener, so its next line is awaited meanwhile.
        Task { @Sendable in await Self.browse(url, browser, forges: forges, process) }
    }

    private static func browse(
        _ url: URL, _ browser: FakeBrowser, forges: Bool, _ process: ClientProcess
    ) async {
        guard let last = try? await browser.open(url, follow: { forges ? forged($0) : $0 }).visited.last,
            last.scheme != "http",
            last.scheme != "https"
        else { return }
        process.write("return:\(last.absoluteString)")
    }

    /// The client's address with another code.
    private static func forged(_ address: URL) -> URL {
        // The provider comes back to the server with a code of its own.
        guard !address.path.contains("/callback/"),
            var parts = URLComponents(url: address, resolvingAgainstBaseURL: false),
            let index = parts.queryItems?.firstIndex(where: { $0.name == "code" })
        else { return address }
        parts.queryItems?[index].value = "forged-code-forged-code-forged-code-forged"
        return parts.url ?? address
    }

    /// Ends the game, as a player does who closes it.
    func end() async {
        guard let process else { return }
        self.process = nil
        let watchdog = process.watchdog(seconds: patience)
        defer { watchdog.cancel() }
        process.closeInput()
        while let line = await process.next() { output.append(line) }
        output += process.errors
    }

    /// Ends the game in the middle of what it does.
    var killSwitch: @Sendable () -> Void { { [process] in process?.kill() } }
}

/// The client's process: steps go in, lines come out.
private final class ClientProcess: Sendable {
    private let input: AsyncStream<String>.Continuation
    private let lines: AsyncStream<String>
    private let running: Task<Void, Never>
    private let complaints: Complaints
    private let wasLate = Atomic(false)

    /// The lines of standard error, and why the process could not be started.
    private final class Complaints: Sendable {
        let lines = Mutex<[String]>([])

        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }

    init(_ command: [String], _ variables: [String: String]) {
        let (steps, input) = AsyncStream.makeStream(of: String.self)
        let (lines, line) = AsyncStream.makeStream(of: String.self)
        let complaints = Complaints()
        (self.input, self.lines, self.complaints) = (input, lines, complaints)
        running = Task {
            do {
                try await Self.run(command, variables, steps, line, complaints)
            } catch {
                complaints.add("\(error)")
            }
            line.finish()
        }
    }

    private static func run(
        _ command: [String], _ variables: [String: String], _ steps: AsyncStream<String>,
        _ line: AsyncStream<String>.Continuation, _ complaints: Complaints
    ) async throws {
        let environment = Dictionary(
            uniqueKeysWithValues: variables.map { (Subprocess.Environment.Key(stringLiteral: $0), $1 as String?) })
        _ = try await Subprocess.run(
            .name("env"), arguments: Arguments(command),
            environment: .inherit.updating(environment), input: .inputWriter, output: .sequence, error: .sequence
        ) { execution in
            let writing = Task {
                for await step in steps { _ = try await execution.standardInputWriter.write("\(step)\n") }
                try await execution.standardInputWriter.finish()
            }
            defer { writing.cancel() }
            async let errors: Void = {
                for try await text in execution.standardError.strings() { complaints.add(text) }
            }()
            for try await text in execution.standardOutput.strings() { line.yield(text) }
            try await errors
        }
    }

    /// Whether a watchdog has ended it.
    var isLate: Bool { wasLate.load(ordering: .relaxed) }

    /// Ends the process after a time, unless the task is cancelled.
    func watchdog(seconds: Int) -> Task<Void, any Error> {
        Task {
            try await ServerEnvironment.live.pause(UInt64(seconds) * 1_000_000_000)
            wasLate.store(true, ordering: .relaxed)
            kill()
        }
    }

    var errors: [String] { complaints.lines.withLock { $0 } }

    func write(_ step: String) { input.yield(step) }

    func closeInput() { input.finish() }

    /// A cancelled process is killed at once.
    func kill() { running.cancel() }

    /// The next line of standard output; nil once the process has ended.
    func next() async -> String? { await lines.first { _ in true } }
}

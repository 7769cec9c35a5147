import Foundation
import GatehouseServerWire
import GatehouseWire

/// A game server of `Examples/servers`. Each reads lines with an access token or `refresh`, and answers each with a line.
struct ExampleGameServer: Sendable {
    enum Language: String, Sendable, CaseIterable {
        case python, swift, node, java, go

        var folder: URL { GameServerExampleTests.root.appendingPathComponent("Examples/servers/\(rawValue)") }

        /// The program that runs it; Swift's is in the same folder as the test runner.
        private var tool: String {
            switch self {
            case .python: "/usr/bin/python3"
            case .swift:
                URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
                    .appendingPathComponent("check-tokens").path
            case .node: "/usr/bin/node"
            case .java: "/usr/bin/java"
            case .go: "/usr/bin/go"
            }
        }

        /// The languages that are installed on this machine. Python and Swift always are; a missing one is reported, and fails where all
        /// are required.
        static let available: [Language] = {
            let requiresAll = ProcessInfo.processInfo.environment["GATEHOUSE_REQUIRE_LANGUAGES"] == "1"
            guard !requiresAll else { return allCases }
            let available = allCases.filter {
                [.python, .swift].contains($0) || FileManager.default.isExecutableFile(atPath: $0.tool)
            }
            let missing = allCases.filter { !available.contains($0) }.map(\.rawValue).joined(separator: ", ")
            if !missing.isEmpty {
                let warning = "\n*** The game servers of Examples/servers are not tried in: \(missing) ***\n\n"
                FileHandle.standardError.write(Data(warning.utf8))
            }
            return available
        }()

        /// The command that starts it, as in the folder's README.md.
        func command(in folder: URL) async throws -> (executable: String, arguments: [String]) {
            switch self {
            case .python: return (tool, [self.folder.appendingPathComponent("main.py").path])
            case .swift: return (tool, [])
            case .node: return (tool, [self.folder.appendingPathComponent("main.mjs").path])
            case .java:  // The optimising compiler would take longer than the program.
                return (tool, ["-XX:TieredStopAtLevel=1", self.folder.appendingPathComponent("Gatehouse.java").path])
            case .go:
                let program = folder.appendingPathComponent("gameserver").path
                let build = try await Command.run(
                    ["-C", self.folder.path, tool, "build", "-o", program, "."], in: folder, executable: "/usr/bin/env")
                guard build.status == 0 else { throw NotBuilt(output: build.text) }
                return (program, [])
            }
        }
    }

    struct NotBuilt: Error {
        let output: String
    }

    struct NoAnswer: Error {
        let line: String
    }

    private let command: Command

    /// - Parameter folder: from ``withFolder(_:)``.
    static func start(_ language: Language, for server: LiveServer, in folder: URL) async throws -> ExampleGameServer {
        let (executable, arguments) = try await language.command(in: folder)
        return ExampleGameServer(
            command: try Command(
                arguments, in: folder,
                environment: [
                    "GATEHOUSE_SERVER": server.url.absoluteString, "GATEHOUSE_APP": LiveServer.app.rawValue,
                    "GATEHOUSE_SECRET": server.secret.secretValue, "PYTHONDONTWRITEBYTECODE": "1",
                ], executable: executable, hasInput: true))
    }

    private func ask(_ line: String) async throws -> String {
        command.write(line)
        for await answer in command.lines { return answer }
        throw NoAnswer(line: line)
    }

    /// Makes it fetch the latest revocations. The answer says when to fetch again.
    ///
    /// - Parameter attempts: how often it is asked until it has the list: on a busy machine a call takes longer than it waits.
    func refresh(attempts: Int = 10) async throws -> String {
        var answer = ""
        for _ in 0..<attempts {
            answer = try await ask("refresh")
            if !answer.hasPrefix("refused ") { break }
        }
        return answer
    }

    /// Nil for a token that it refuses.
    func user(of token: AccessToken) async throws -> UserID? {
        let answer = try await ask(token.secretValue)
        guard answer.hasPrefix("user ") else {
            guard answer.hasPrefix("refused ") else { throw NoAnswer(line: answer) }
            return nil
        }
        return UserID(String(answer.dropFirst("user ".count)))
    }
}

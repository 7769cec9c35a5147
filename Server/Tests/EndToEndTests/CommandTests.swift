import Foundation
import Gatehouse
import Testing

/// The command as its users run it: processes, files, signals.
@Suite(.timeLimit(.minutes(10))) struct CommandTests {
    @Test(
        "A player who plays, while the server is killed and started again, is the same player")
    func killed() async throws {
        try await withFolder { folder in
            let first = try await ServingCommand.start(["dev"], in: folder)
            let players = try await withThrowingTaskGroup(of: String.self) { group in
                for player in 0..<8 {
                    group.addTask { try await play("guest", player, first.url, folder) }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(players.count == 8)
            // An acknowledged write is on the disk: after the kill nothing can be written.
            let key = try await secret(in: first)
            first.command.signal(SIGKILL)
            #expect(await first.command.status() == 128 + SIGKILL)

            let second = try await ServingCommand.start(["dev"], in: folder)
            let again = try await withThrowingTaskGroup(of: String.self) { group in
                for player in 0..<8 {
                    group.addTask { try await play("last,me,heartbeat,logout,guest", player, second.url, folder) }
                }
                return try await group.reduce(into: Set<String>()) { $0.insert($1) }
            }
            #expect(again == players)
            #expect(try await secret(in: second) == key)
            second.command.signal(SIGTERM)
            #expect(await second.command.status() == 0)
        }
    }

    @Test("A stop on SIGTERM ends with 0, and what the server wrote is JSON without secrets")
    func logs() async throws {
        try await withFolder { folder in
            let created = try await Command.createApp("game", in: folder)
            #expect(created.status == 0)
            let key = try #require(created.lines.joined(separator: "\n").firstMatch(of: #/[A-Za-z0-9_-]{40,}/#)?.output)
            let server = try await ServingCommand.start(["serve", "--log-level", "trace"], in: folder)
            _ = try await play("guest,me", 1, server.url, folder, app: "game")
            let canary = "canary-\\u001b[31m\\r\\nfake"
            for headers in [
                ["X-Secret-Key": "canary-secret"], ["Authorization": "DPoP canary-token", "DPoP": "canary-proof"],
            ] {
                for path in ["/v1/server/apps/game/tokens/check", "/v1/apps/game/member", "/v1/apps/game/login/last"] {
                    let url = try #require(URL(string: server.url + path))
                    let answer = try await GatehouseClient.Environment.live().send(
                        TransportRequest(
                            method: "POST", url: url,
                            headers: headers.merging(["Content-Type": "application/json"]) { $1 },
                            body: Data(#"{"accessToken":"\#(canary)"}"#.utf8), timeoutSeconds: 60))
                    #expect((400..<500).contains(answer.status))
                }
            }
            server.command.signal(SIGTERM)
            let end = await server.command.finish()
            #expect(end.status == 0)
            let lines = server.greeting + end.lines
            #expect(lines.count > 5)
            for line in lines {
                #expect((try? JSONSerialization.jsonObject(with: Data(line.utf8))) is [String: Any], "\(line)")
            }
            let text = lines.joined(separator: "\n")
            let stored = try String(contentsOf: folder.appendingPathComponent("device-1.json"), encoding: .utf8)
            let device = try JSONDecoder().decode([String: Data].self, from: Data(stored.utf8))
            let session = String(decoding: try #require(device["session"]), as: UTF8.self)
            let refreshToken = try #require(session.firstMatch(of: #/"refreshToken":"([^"]+)"/#)?.output.1)
            for secret in [
                "canary-secret", "canary-token", "canary-proof", "\u{1b}", String(key), String(refreshToken),
            ] {
                #expect(!text.contains(secret))
            }
            #expect(text.contains("\"audit\":\"member.created\""))
        }
    }

    @Test(
        "A wrong setting ends with 1 and names the setting and its place",
        arguments: [
            (["--port", "99999"], [:], "the flag --port"), (["--port", "abc"], [:], "the flag --port"),
            ([], ["GATEHOUSE_PORT": "x"], "the environment variable GATEHOUSE_PORT"),
            (["--host", "0.0.0.0"], [:], "public-url"), (["--public-url", "login.example.com"], [:], "--public-url"),
            (["--database", "mysql://x"], [:], "--database"), (["--tls-key", "k.pem"], [:], "tls-certificate"),
            (["--password-cost", "4"], [:], "--password-cost"), (["--config", "missing.conf"], [:], "missing.conf"),
            (["--log-level", "loud"], [:], "--log-level"),
            ([], ["GATEHOUSE_MASTER_KEY": "c2hvcnQ="], "GATEHOUSE_MASTER_KEY"),
        ] as [([String], [String: String], String)])
    func wrongSettings(arguments: [String], environment: [String: String], named: String) async throws {
        try await withFolder { folder in
            let result = try await Command.run(["serve"] + arguments, in: folder, environment: environment)
            #expect(result.status == 1)
            #expect(result.lines.joined(separator: "\n").contains(named), "\(result.lines)")
        }
    }

    @Test("A configuration file's lines count after the environment's, and an unknown one is refused")
    func file() async throws {
        try await withFolder { folder in
            let path = folder.appendingPathComponent("gatehouse.conf")
            try Data("# ours\nport = none\nlog-level = info\n".utf8).write(to: path)
            let wrong = try await Command.run(["serve", "--config", path.path], in: folder)
            #expect(wrong.status == 1)
            #expect(wrong.lines.joined().contains("line 2 of \(path.path)"))
            try Data("prot = 80\n".utf8).write(to: path)
            let unknown = try await Command.run(["serve", "--config", path.path], in: folder)
            #expect(unknown.status == 1)
            #expect(unknown.lines.joined().contains("Line 1 of \(path.path)"))
        }
    }

    @Test("KEY-2: the key file and the database are their owner's alone; a key that others can read is refused")
    func keyFile() async throws {
        try await withFolder { folder in
            #expect(try await Command.createApp("game", in: folder).status == 0)
            let data = folder.appendingPathComponent(".gatehouse")
            let key = data.appendingPathComponent("gatehouse.db.key").path
            for path in [key, data.appendingPathComponent("gatehouse.db").path] {
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600, "\(path)")
            }
            try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: key)
            let refused = try await Command.run(["app", "list"], in: folder)
            #expect(refused.status == 1)
            #expect(refused.lines.joined().contains(".gatehouse/gatehouse.db.key can be read by others"))

            // With another key than the one that encrypted the data, nothing is changed.
            try FileManager.default.removeItem(atPath: key)
            let foreign = try await Command.run(["app", "rotate-key", "game"], in: folder)
            #expect(foreign.status == 1)
        }
    }

    @Test("Of two servers that start at once on nothing, both find one key and one database")
    func startAtOnce() async throws {
        try await withFolder { folder in
            async let one = ServingCommand.start(["serve"], in: folder)
            async let other = ServingCommand.start(["serve"], in: folder)
            let servers = try await [one, other]
            for server in servers { server.command.signal(SIGINT) }
            for server in servers { #expect(await server.command.status() == 0) }
        }
    }

    /// Runs a script of the game client; returns the user id of its last line.
    private func play(
        _ script: String, _ player: Int, _ url: String, _ folder: URL, app: String = "devgame"
    ) async throws -> String {
        let result = try await Command.run(
            [
                "play", "--server", url, "--app", app, "--storage", "device-\(player).json", "--json", "--script",
                script,
            ], in: folder)
        #expect(result.status == 0, "\(result.lines)")
        let last = try #require(result.lines.last)
        return try #require(try JSONDecoder().decode(Step.self, from: Data(last.utf8)).userId)
    }

    private struct Step: Decodable {
        let userId: String?
    }

    /// The secret key from a server's greeting, which follows the address.
    private func secret(in server: ServingCommand) async throws -> Substring {
        var line = server.greeting.first { $0.contains("secret key") }
        if line == nil { line = await server.command.lines.first { $0.contains("secret key") } }
        let word = try #require(line?.split(separator: " ").last)
        #expect(word.hasPrefix("gsk_"))
        return word
    }
}

import AsyncHTTPClient
import Foundation
import Gatehouse
import Testing

@testable import gatehouse

/// A newcomer's use of the game in the terminal.
@Suite(.timeLimit(.minutes(10))) struct PlayCommandTests {
    private struct Step: Decodable {
        let ok: Bool
        let userId: String?
        let accessToken: String?
    }

    @Test("A script runs as often as one likes: it has a device and a player of its own")
    func twice() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            var users = Set<String>()
            for _ in 0..<2 {
                let result = try await Command.run(
                    [
                        "play", "--server", server.url, "--json", "--script",
                        "guest,map:google,logout,login:google,device:b,guest",
                    ],
                    in: folder)
                #expect(result.status == 0, "\(result.text)")
                let steps = try result.lines.map { try JSONDecoder().decode(Step.self, from: Data($0.utf8)) }
                #expect(steps.count == 7)
                users.formUnion(steps.compactMap(\.userId))
            }
            #expect(users.count == 4)
            // None of its files remain.
            let left = try FileManager.default.subpathsOfDirectory(atPath: folder.path)
            #expect(left.filter { $0.hasSuffix(".json") || $0.contains(".json.") } == [])
        }
    }

    @Test("Providers without a public page or library can be played with in the development world")
    func development() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            for provider in ["kakaogame", "hangame", "iosgamecenter"] {
                let result = try await Command.run(
                    [
                        "play", "--server", server.url, "--json", "--script",
                        "guest,map:\(provider),logout,login:\(provider)",
                    ],
                    in: folder)
                #expect(result.status == 0, "\(provider): \(result.text)")
                let steps = try result.lines.map { try JSONDecoder().decode(Step.self, from: Data($0.utf8)) }
                #expect(steps.allSatisfy { $0.ok })
                #expect(Set(steps.compactMap(\.userId)).count == 1)
            }
        }
    }

    @Test("A token to try with: a script prints one that the game's server can check")
    func token() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            let play = ["play", "--server", server.url, "--json", "--script"]
            let hidden = try await Command.run(play + ["guest,token"], in: folder)
            #expect(!hidden.text.contains("accessToken"))
            let shown = try await Command.run(play + ["guest,token:show"], in: folder)
            let step = try JSONDecoder().decode(Step.self, from: Data(#require(shown.lines.last).utf8))
            let secret = try String(
                contentsOf: folder.appendingPathComponent(".gatehouse/gatehouse.db.devgame.secret"), encoding: .utf8)
            let answer = try await GatehouseClient.Environment.live().send(
                TransportRequest(
                    method: "POST", url: try #require(URL(string: "\(server.url)/v1/server/apps/devgame/tokens/check")),
                    headers: [
                        "X-Secret-Key": secret.trimmingCharacters(in: .newlines), "Content-Type": "application/json",
                    ], body: Data(#"{"accessToken":"\#(try #require(step.accessToken))"}"#.utf8), timeoutSeconds: 60))
            #expect(answer.status == 200)
            #expect(String(decoding: answer.body, as: UTF8.self).contains(try #require(step.userId)))
        }
    }

    @Test("A server that does not answer is named once, and the script ends")
    func noServer() async throws {
        try await withFolder { folder in
            let result = try await Command.run(
                ["play", "--server", "http://127.0.0.1:1", "--script", "guest,me,logout"], in: folder)
            #expect(result.status == 1)
            #expect(result.lines.count == 1, "\(result.text)")
            let words = "No Gatehouse server answers at http://127.0.0.1:1 (the flag --server)."
            #expect(result.text.hasPrefix(words) && result.text.hasSuffix("with --server or GATEHOUSE_SERVER."))
            // The cause is in the system's own words: no server, an unknown name or a certificate that is not trusted.
            #expect(!result.text.contains("No connection to the server."), "\(result.text)")
            for arguments in [["play"], ["request", "GET", "/v1/apps/devgame/launching"], ["dev", "clock"]] {
                let result = try await Command.run(
                    arguments, in: folder, environment: ["GATEHOUSE_SERVER": "http://127.0.0.1:1"])
                let words = "http://127.0.0.1:1 (the environment variable GATEHOUSE_SERVER)"
                #expect(result.text.contains(words), "\(arguments): \(result.text)")
            }
        }
    }

    @Test("A refused connection is said at once, however long an answer may take")
    func refused() async throws {
        await #expect(throws: (any Error).self) {
            try await ServerQuestion.ask(HTTPClientRequest(url: "http://127.0.0.1:1/dev/clock"), seconds: 86_400)
        }
    }

    @Test("A script tells people of each step the player and the identities, and what a program reads goes with --json")
    func words() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            let result = try await Command.run(
                ["play", "--server", server.url, "--script", "guest,map:google,?map:google,logout"], in: folder)
            #expect(result.status == 0 && !result.text.contains("{"), "\(result.text)")
            let user = try #require(result.lines.dropFirst().first?.split(separator: " ").dropFirst().first)
            #expect(result.lines.first == "start       no player")
            #expect(result.lines.contains("guest       \(user)  guest"))
            #expect(result.lines.contains("map:google  \(user)  google"))
            #expect(result.lines.contains { $0.hasPrefix("map:google  failed: ") }, "\(result.text)")
            #expect(result.lines.last == "logout      no player")
            let wrong = try await Command.run(["play", "--json"], in: folder)
            #expect(wrong.status == 64 && wrong.text.contains("--json goes with --script"))
        }
    }

    private func settings(_ flags: [String: String], in folder: URL) throws -> Settings {
        let database = "sqlite:\(folder.path)/.gatehouse/gatehouse.db"
        let all = ["database": database].merging(flags) { $1 }.mapValues(Optional.some)
        return try Settings(flags: all, environment: [:], looksForFile: false)
    }

    @Test("A command finds the server that runs on its database; settings come first, and a killed server is none")
    func found() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent(".gatehouse/gatehouse.db.address").path
            func known(_ flags: [String: String] = [:]) async throws -> ServerAddress {
                try await ServerAddress.known(to: [settings(flags, in: folder)])
            }
            var server = try await ServingCommand.start(["dev"], in: folder)
            // Its greeting, with the address in its first line, is written after the file.
            #expect(try await known().url == server.url)
            let rights = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int
            #expect(rights == 0o600)
            for arguments in [
                ["play", "--script", "guest"], ["request", "GET", "/v1/apps/devgame/launching"], ["dev", "clock"],
            ] {
                let result = try await Command.run(arguments, in: folder)
                #expect(result.status == 0, "\(arguments): \(result.text)")
            }
            let invited = try await Command.run(["operator", "create", "kim", "--role", "owner"], in: folder)
            #expect(invited.lines.contains { $0.hasPrefix("\(server.url)/console/enrol/") }, "\(invited.text)")

            #expect(try await known(["port": "9000"]).url == "http://127.0.0.1:9000")
            #expect(try await known(["port": "9000", "host": "::1"]).url == "http://[::1]:9000")
            #expect(try await known(["port": "0"]).url == server.url)
            let open = "https://login.example.com"
            #expect(try await known(["public-url": "\(open)/,http://127.0.0.1:8080", "port": "1"]).url == open)
            #expect(try await known(["public-url": open, "server": "http://10.0.0.1/"]).url == "http://10.0.0.1")
            #expect(try await known(["public-url": "HTTPS://Login.example.com:443"]).url == open)
            let both = try settings(["public-url": open, "server": "http://10.0.0.1"], in: folder)
            #expect(try await ServerAddress.known(to: [both], by: ["public-url"]).url == open)
            await #expect(throws: SettingError.self) { try await known(["server": "login.example.com"]) }

            server.command.signal(SIGKILL)
            _ = await server.command.status()
            #expect(FileManager.default.fileExists(atPath: file))
            #expect(try await known().source == "the default")
            server = try await ServingCommand.start(["dev"], in: folder)
            #expect(try await known().url == server.url)
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
            #expect(!FileManager.default.fileExists(atPath: file))
        }
    }

    @Test("`gatehouse serve` keeps its address beside its database, too: the one by which clients reach it")
    func serving() async throws {
        try await withFolder { folder in
            let file = folder.appendingPathComponent("game.db.address").path
            let serve = ["serve", "--database", "sqlite:game.db"]
            for url in [nil, "https://login.example.com"] {
                let arguments = serve + (url.map { ["--public-url", $0] } ?? [])
                let server = try await ServingCommand.start(arguments, in: folder)
                #expect(try String(contentsOfFile: file, encoding: .utf8) == "\(url ?? server.url)\n")
                server.command.signal(SIGTERM)
                #expect(await server.command.status() == 0)
                #expect(!FileManager.default.fileExists(atPath: file))
            }
        }
    }

    @Test("A server's file counts only if nobody else can write it and it has a URL, and only its server removes it")
    func addressFile() async throws {
        try await withFolder { folder in
            let place = try DataPlace(settings(["database": "sqlite:\(folder.path)/game.db"], in: folder))
            let path = "\(folder.path)/game.db.address"
            let (first, second) = (AddressFile(of: place), AddressFile(of: place))
            first.write("http://127.0.0.1:1000")
            #expect(second.read() == "http://127.0.0.1:1000")
            second.write("http://127.0.0.1:2000")
            first.remove()
            #expect(first.read() == "http://127.0.0.1:2000")
            try FileManager.default.setAttributes([.posixPermissions: 0o666], ofItemAtPath: path)
            #expect(first.read() == nil)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
            second.remove()
            #expect(!FileManager.default.fileExists(atPath: path))
            for text in ["", "login.example.com", "javascript:alert(1)", "ftp://example.com", "http://"] {
                try Data("\(text)\n".utf8).write(to: URL(fileURLWithPath: path))
                try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
                #expect(first.read() == nil, "\(text)")
            }
            try Data("http://127.0.0.1:3000\n".utf8).write(to: folder.appendingPathComponent("elsewhere"))
            try FileManager.default.removeItem(atPath: path)
            try FileManager.default.createSymbolicLink(
                atPath: path, withDestinationPath: folder.appendingPathComponent("elsewhere").path)
            #expect(first.read() == nil)
        }
    }
}

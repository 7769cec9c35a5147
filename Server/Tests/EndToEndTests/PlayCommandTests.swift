import Foundation
import Gatehouse
import Testing

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
                        "play", "--server", server.url, "--script",
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
                        "play", "--server", server.url, "--script",
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
            let hidden = try await Command.run(["play", "--server", server.url, "--script", "guest,token"], in: folder)
            #expect(!hidden.text.contains("accessToken"))
            let shown = try await Command.run(
                ["play", "--server", server.url, "--script", "guest,token:show"], in: folder)
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
            #expect(result.text.hasPrefix("No Gatehouse server answers at http://127.0.0.1:1"))
        }
    }
}

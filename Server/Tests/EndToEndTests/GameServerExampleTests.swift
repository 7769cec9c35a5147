import Foundation
import Gatehouse
import GatehouseServer
import TestDatabases
import Testing

/// The game server of docs/game-servers.md, in Python, against a real server.
@Suite(.timeLimit(.minutes(10))) struct GameServerExampleTests {
    /// Reads a line for each token, or `refresh`, and answers with a line each.
    private static let driver = """
        import sys
        gatehouse = Gatehouse(*sys.argv[1:])
        for line in open("tokens").read().split():
            try:
                print(gatehouse.refresh() if line == "refresh" else gatehouse.check(line)["sub"])
            except jwt.PyJWTError as error:
                print(type(error).__name__, error)
        """

    private static func example() throws -> String {
        let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent().appendingPathComponent("docs/game-servers.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let blocks = text.split(separator: "```python\n").dropFirst()
        return String(try #require(blocks.first?.split(separator: "\n```").first))
    }

    private func ask(_ lines: [String], _ server: LiveServer, in folder: URL) async throws -> [String] {
        try "\(Self.example())\n\n\(Self.driver)\n"
            .write(to: folder.appendingPathComponent("server.py"), atomically: true, encoding: .utf8)
        try lines.joined(separator: "\n")
            .write(to: folder.appendingPathComponent("tokens"), atomically: true, encoding: .utf8)
        let result = try await Command.run(
            ["server.py", server.url.absoluteString, LiveServer.app.rawValue, server.secret.secretValue], in: folder,
            executable: "/usr/bin/python3")
        #expect(result.status == 0, "\(result.text)")
        return result.lines
    }

    @Test(
        "A game server in Python accepts good tokens, and refuses others, banned players and ended sessions",
        arguments: Engine.available)
    func python(engine: Engine) async throws {
        try await LiveServer.run(on: engine) { server in
            try await withFolder { folder in
                var tokens: [String] = []
                var users: [String] = []
                var devices: [Gatehouse] = []
                for name in ["alice", "bob", "carol"] {
                    let device = server.device(name)
                    try await device.start()
                    users.append(try await device.logIn(with: .guest).member.userId.rawValue)
                    tokens.append(try await device.validAccessToken().secretValue)
                    devices.append(device)
                }
                let parts = tokens[0].split(separator: ".")
                let forged = "\(parts[0]).\(tokens[1].split(separator: ".")[1]).\(parts[2])"
                let unsigned = "eyJhbGciOiJub25lIiwidHlwIjoiYXQrand0In0.\(parts[1])."
                let before = try await ask(tokens + [forged, unsigned, "nonsense", "refresh"], server, in: folder)
                #expect(before.prefix(3).elementsEqual(users))
                #expect(before.dropFirst(3).prefix(3).allSatisfy { $0.contains("Error") })
                #expect(before.last == "5")
                #expect(before.count == 7)

                _ = try await server.administration.ban(
                    UserID(users[0]), until: nil, template: nil, reason: "x", of: LiveServer.app)
                try await devices[1].logOut()
                let after = try await ask(tokens + ["refresh", "refresh"] + tokens, server, in: folder)
                #expect(after.prefix(3).elementsEqual(users), "a signature says nothing of what came after it")
                #expect(after.dropFirst(3).prefix(2).elementsEqual(["5", "5"]))
                #expect(
                    after.dropFirst(5).elementsEqual([
                        "InvalidTokenError revoked", "InvalidTokenError revoked", users[2],
                    ]))
            }
        }
    }
}

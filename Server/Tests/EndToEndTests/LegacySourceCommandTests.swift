import FakeProviders
import Foundation
import Testing

/// `gatehouse import source` and `release` as an operator runs them.
@Suite(.timeLimit(.minutes(10))) struct LegacySourceCommandTests {
    @Test("Sources are set, listed, tried and closed, and no key is shown")
    func sources() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
                let result = try await Command.run(["import"] + arguments, in: folder)
                #expect(result.status == status, "\(arguments): \(result.text)")
                return result.text
            }
            try Data("defaultencryptionkey\n".utf8).write(to: folder.appendingPathComponent("known.key"))
            try Data("a-secret-of-the-old-system\n".utf8).write(to: folder.appendingPathComponent("own.key"))
            let set = try await run("source", "set", "firebase-main", "--kind", "firebase", "--project", "my-game")
            #expect(set.contains("players may come from firebase-main"))
            #expect(try await run("source", "set", "x", "--kind", "firebase", status: 1).contains("project"))
            _ = try await run("source", "set", "x", "--kind", "mars", status: 64)
            _ = try await run("source", "set", "x", "--kind", "nakama", "--bare-ids", "all", status: 64)
            _ = try await run("source", "set", "x", "--kind", "nakama", "--map", "studio", status: 64)
            let gatehouse = [
                "source", "set", "former", "--kind", "openid", "--gatehouse", "--audience", "game", "--issuer",
            ]
            let wrong = try await Command.run(["import"] + gatehouse + ["https://login.example"], in: folder)
            #expect(wrong.status == 1 && wrong.text.contains("/v1/apps/"), "\(wrong.text)")
            let former = try await Command.run(
                ["import"] + gatehouse + ["https://login.example/v1/apps/game"], in: folder)
            #expect(former.status == 0, "\(former.text)")
            let known = try await run(
                "source", "set", "nakama", "--kind", "nakama", "--secret-file", "known.key", status: 1)
            #expect(known.contains("Everybody knows this key"))
            let guests = try await run(
                "source", "set", "nakama", "--kind", "nakama", "--secret-file", "own.key", "--bare-ids", "guests")
            #expect(guests.contains("only if they are random"))
            let list = try await run("source", "list")
            #expect(list.contains("firebase-main\tfirebase\topen\t"))
            #expect(list.contains("\tguests\tcreate\tclient\trefuse") && !list.contains("a-secret"))

            let tried = try Command(["import", "source", "test", "firebase-main"], in: folder, hasInput: true)
            tried.write("no-token")
            tried.closeInput()
            let result = await tried.finish()
            #expect(result.status == 1 && result.text.contains("refused: it is no signed token"))

            #expect(try await run("release", "firebase-main", "p1", status: 1).contains("Nobody has come"))
            #expect(try await run("source", "close", "nakama").contains("nakama is closed"))
            #expect(try await run("source", "list").contains("nakama\tnakama\tclosed\t"))
            _ = try await run("source", "close", "unknown", status: 1)
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }
}

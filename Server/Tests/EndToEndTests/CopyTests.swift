import Foundation
import Gatehouse
import GatehouseTesting
import TestDatabases
import Testing

/// `gatehouse copy`, as an operator moves a server from one engine to another.
@Suite(.timeLimit(.minutes(10))) struct CopyTests {
    @Test(
        "Players go on after a copy into another database, and the command refuses what would lose rows",
        arguments: Engine.available)
    func moved(engine: Engine) async throws {
        try await withDatabaseURL(engine) { target in
            try await withFolder { folder in
                let runbook = RunbookTest(
                    data: ["--database", "sqlite:game.db", "--key-file", "master.key"], folder: folder, app: "game")
                let moved = RunbookTest(
                    data: ["--database", target, "--key-file", "master.key"], folder: folder, app: "game")
                _ = try await Command.createApp("game", runbook.data, in: folder)
                let storage = MemoryStorage()
                let first = try await ServingCommand.start(["serve"] + runbook.data, in: folder)
                let player = try await runbook.device(at: #require(URL(string: first.url)), storage: storage)
                _ = try await player.logIn(with: .guest)
                let user = try #require(player.userID)
                let early = try await runbook.run(["copy", "--to-database", target], status: 1)
                #expect(early.text.contains("uses the database"), "\(early.text)")
                first.command.signal(SIGTERM)
                #expect(await first.command.status() == 0)

                let nowhere = try await runbook.run(["copy"], status: 1)
                #expect(nowhere.text.contains("--to-database"), "\(nowhere.text)")
                let wrong = try await runbook.run(["copy", "--to-database", "mysql://u:secret-word@h/x"], status: 1)
                #expect(wrong.text.contains("to-database") && !wrong.text.contains("secret-word"), "\(wrong.text)")
                let copied = try await runbook.run(["copy", "--to-database", target])
                #expect(copied.text.contains("members: 1 copied"), "\(copied.text)")
                #expect(copied.text.contains("need the same master key"))
                let again = try await runbook.run(["copy", "--to-database", target], status: 1)
                #expect(again.text.contains("holds something already"), "\(again.text)")

                let second = try await ServingCommand.start(["serve"] + moved.data, in: folder)
                let back = try await moved.device(at: #require(URL(string: second.url)), storage: storage)
                _ = try await back.logIn(with: .guest)
                #expect(back.userID == user)
                second.command.signal(SIGTERM)
                #expect(await second.command.status() == 0)
                #expect(try await runbook.status(of: user.rawValue) == "Y")
                let export = try await moved.run([
                    "member", "export", user.rawValue, "--app", "game", "--output", "e.json",
                ])
                #expect(export.text.contains("holds everything"))
                #expect(try moved.rights(of: "e.json") == 0o600)
                let document = try JSONSerialization.jsonObject(with: moved.read("e.json")) as? [String: Any]
                #expect(document?["userId"] as? String == user.rawValue)
                let sessions = (document?["stored"] as? [String: Any])?["sessions"] as? [[String: Any]]
                #expect(sessions?.first?["created_at"] as? String != nil)
            }
        }
    }
}

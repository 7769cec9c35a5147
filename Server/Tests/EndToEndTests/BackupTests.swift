import Foundation
import Gatehouse
import GatehouseCore
import GatehouseServer
import GatehouseTesting
import TestDatabases
import Testing

/// Copies of the database, as operators make and restore them.
@Suite(.timeLimit(.minutes(10))) struct BackupTests {
    @Test(
        "REL-10, WDR-3: who has left since the copy, by whatever door, is gone again after a restore and a replay",
        arguments: Engine.available)
    func runbook(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                let runbook = RunbookTest(
                    data: ["--database", url, "--key-file", ".gatehouse/drill.key"], folder: folder)
                let first = try await ServingCommand.start(["dev"] + runbook.data, in: folder)
                first.command.signal(SIGTERM)
                #expect(await first.command.status() == 0)
                // A running server needs up to a second to accept a new secret key, so it is created before the server starts.
                let rotated = try await runbook.run(["app", "rotate-secret", "devgame"])
                let secret = String(try #require(rotated.text.firstMatch(of: #/gsk_[A-Za-z0-9_-]{40,}/#)?.output))
                let server = try await ServingCommand.start(["dev"] + runbook.data, in: folder)
                let staying = try await runbook.guest(server)
                let back = try await runbook.guest(server)
                try await back.requestWithdrawal()
                let byPlayer = try await runbook.guest(server)
                let byServer = try await runbook.guest(server)
                let byOperator = try await runbook.guest(server)
                let byTime = try await runbook.guest(server)
                let asking = try await runbook.guest(server)

                let backup = try await runbook.run(["backup", "copy"])
                #expect(backup.text.contains("checking the copy"))
                #expect(try runbook.rights(of: "copy") == 0o600)
                let since = try #require(backup.text.firstMatch(of: #/--since ([0-9TZ:-]+)/#)?.output.1)

                // The copy does not contain players who join or leave from here on.
                let late = try await runbook.guest(server)
                let gone = [byPlayer, byServer, byOperator, byTime].compactMap(\.userID?.rawValue)
                let pending = try #require(asking.userID?.rawValue)
                let kept = [staying, back].compactMap(\.userID?.rawValue)
                try await back.cancelWithdrawal()
                try await byPlayer.withdraw()
                try await late.withdraw()
                try await runbook.delete(byServer, with: secret, at: server)
                _ = try await runbook.run(["member", "withdraw", gone[2], "--reason", "asked by mail"])
                try await byTime.requestWithdrawal()
                #expect(
                    try await runbook.run(["dev", "clock", "+8d", "--server", server.url], isOnData: false).status == 0)
                try await asking.requestWithdrawal()
                for user in gone { #expect(try await runbook.status(of: user) == "D") }

                let export = try await runbook.run(["erasures", "--since", String(since)])
                try runbook.write(export.lines.filter { $0.contains("\"appId\"") }, to: "erasures")
                let refused = try await runbook.run(["restore", "copy", "--confirm", "--replace"], status: 1)
                #expect(refused.text.contains("uses the database"), "\(refused.text)")
                server.command.signal(SIGTERM)
                #expect(await server.command.status() == 0)

                let holding = try await runbook.run(["restore", "copy", "--confirm"], status: 1)
                #expect(holding.text.contains("Say --replace"), "\(holding.text)")
                #expect(try await runbook.status(of: gone[0]) == "D")
                _ = try await runbook.run(["restore", "copy", "--confirm", "--replace"])
                for user in gone + [pending] { #expect(try await runbook.status(of: user) != "D") }

                let replay = try await runbook.run(["erasures", "--replay", "erasures"])
                for user in gone { #expect(replay.text.contains("\(user) has withdrawn"), "\(replay.text)") }
                #expect(replay.text.contains("\(kept[1]) had cancelled"))
                for user in gone { #expect(try await runbook.status(of: user) == "D") }
                for user in kept { #expect(try await runbook.status(of: user) == "Y") }
                #expect(try await runbook.status(of: pending) == "T")
                let again = try await runbook.run(["erasures", "--replay", "erasures"])
                #expect(!again.text.contains("withdrawn"))
                try runbook.write([], to: "nothing")
                let nothing = try await runbook.run(["erasures", "--replay", "nothing"])
                #expect(nothing.lines.isEmpty, "\(nothing.text)")

                // The restored database works with a server.
                let restarted = try await ServingCommand.start(["dev"] + runbook.data, in: folder)
                #expect(try await runbook.guest(restarted).userID != nil)
                restarted.command.signal(SIGTERM)
                #expect(await restarted.command.status() == 0)
            }
        }
    }

    @Test(
        "WDR-3: the log of a server tells every withdrawal whatever its level, those of commands too, and can be replayed"
    )
    func log() async throws {
        try await withFolder { folder in
            let runbook = RunbookTest(data: ["--database", "sqlite:game.db"], folder: folder, app: "game")
            _ = try await Command.createApp("game", runbook.data, in: folder)
            // A quiet server does not print its port, so it gets one below those that the system gives to others, in use by nobody.
            var port = 0
            repeat { port = .random(in: 20_000..<32_000) } while (try? RawConnection(port: port)) != nil
            let quiet = ["serve", "--log-level", "critical", "--port", "\(port)"] + runbook.data
            let first = try Command(quiet, in: folder)
            let url = try #require(URL(string: "http://127.0.0.1:\(port)"))
            let byPlayer = try await runbook.guest(at: url)
            let byOperator = try await runbook.guest(at: url)
            let users = [byPlayer, byOperator].compactMap(\.userID?.rawValue)
            _ = try await runbook.run(["backup", "copy"])
            try await byPlayer.withdraw()
            _ = try await runbook.run(["member", "withdraw", users[1], "--app", "game", "--reason", "asked"])
            first.signal(SIGTERM)
            let log = await first.finish()
            #expect(log.text.contains(users[0]))
            // The next server logs at its start what a command has done without a server.
            let second = try Command(quiet, in: folder)
            var lines: [String] = []
            for await line in second.lines {
                lines.append(line)
                if line.contains(users[1]) { break }
            }
            // The server logs this before it listens. Waiting for a login makes sure that its start is complete before it is stopped.
            _ = try await runbook.guest(at: url)
            second.signal(SIGTERM)
            _ = await second.finish()
            try runbook.write(log.lines + lines + [#"{"audit":"member.withdrawn","appId":"ga"#], to: "server.log")
            _ = try await runbook.run(["restore", "copy", "--confirm", "--replace"])
            let replay = try await runbook.run(["erasures", "--replay", "server.log"], status: 1)
            // A broken line is reported and doesn't stop the replay.
            #expect(replay.text.contains("can't be read"))
            for user in users { #expect(try await runbook.status(of: user) == "D", "\(replay.text)") }
        }
    }

    @Test(
        "REL-10, KEY-1: what was revoked since the copy stays revoked after a restore with the log",
        arguments: Engine.available)
    func revoked(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                let runbook = RunbookTest(
                    data: ["--database", url, "--key-file", "master.key"], folder: folder, app: "game")
                _ = try await Command.createApp("game", runbook.data, in: folder)
                for (name, role) in [("ann", "owner"), ("kim", "owner"), ("lee", "operator"), ("may", "support")] {
                    _ = try await runbook.run(["operator", "create", name, "--role", role])
                }
                _ = try await runbook.run(["app", "add-secret", "game", "--name", "shop", "--scope", "check"])
                let keys = { try await runbook.run(["app", "secrets", "game"]).text }
                let before = try await keys()
                let shop = String(try #require(before.firstMatch(of: #/([0-9a-f]{12}).*shop/#)?.output.1))
                _ = try await runbook.run(["backup", "copy"])

                _ = try await runbook.run(["app", "revoke-secret", "game", shop])
                _ = try await runbook.run(["operator", "disable", "kim"])
                _ = try await runbook.run(["operator", "grant", "lee", "--role", "viewer"])
                _ = try await runbook.run(["operator", "grant", "may", "--role", "owner"])
                let log = try await runbook.run(["audit"])
                try runbook.write(log.lines, to: "log")

                let refused = try await Command.run(["restore", "copy", "--replace"] + runbook.data, in: folder)
                #expect(refused.status == 1 && refused.text.contains("--replay, or say --confirm"), "\(refused.text)")
                let listed = try await runbook.run(["restore", "copy", "--confirm", "--replace"])
                #expect(listed.text.contains(shop) && listed.text.contains("operator  kim"), "\(listed.text)")
                #expect(try await keys().contains(shop))

                let restored = try await runbook.run(["restore", "copy", "--replay", "log", "--replace"])
                #expect(restored.text.contains("the secret keys \(shop) have ended"), "\(restored.text)")
                #expect(try await !keys().contains(shop))
                let people = try await runbook.run(["operator", "list"]).lines
                let line = { (name: String) in people.first { $0.contains(name) } ?? "" }
                #expect(line("kim").contains("disabled") && !line("ann").contains("disabled"))
                #expect(line("lee").contains("viewer"), "\(people)")
                // Rights that somebody got since the copy are not given again.
                #expect(line("may").contains("support"), "\(people)")

                // Done again, it changes nothing: what somebody has given back since stays.
                _ = try await runbook.run(["operator", "enable", "kim"])
                let again = try await runbook.run(["erasures", "--replay", "log"])
                #expect(again.text.contains("passed over") && !again.text.contains("kim"), "\(again.text)")
            }
        }
    }

    @Test(
        "REL-10, KEY-1: the log of a server tells a restore what was revoked, too", arguments: Engine.available)
    func revokedInLog(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                let runbook = RunbookTest(
                    data: ["--database", url, "--key-file", "master.key"], folder: folder, app: "game")
                _ = try await Command.createApp("game", runbook.data, in: folder)
                for name in ["ann", "kim"] {
                    _ = try await runbook.run(["operator", "create", name, "--role", "owner"])
                }
                _ = try await runbook.run(["app", "add-secret", "game", "--name", "shop", "--scope", "check"])
                let keys = try await runbook.run(["app", "secrets", "game"]).text
                let shop = String(try #require(keys.firstMatch(of: #/([0-9a-f]{12}).*shop/#)?.output.1))
                _ = try await runbook.run(["backup", "copy"])
                _ = try await runbook.run(["app", "revoke-secret", "game", shop])
                _ = try await runbook.run(["operator", "disable", "kim"])
                // A server's log tells at its start what commands have done.
                let server = try Command(
                    ["serve", "--log-level", "critical", "--port", "0"] + runbook.data, in: folder)
                var lines: [String] = []
                for await line in server.lines {
                    lines.append(line)
                    if line.contains("operator.disabled") { break }
                }
                server.signal(SIGTERM)
                _ = await server.finish()
                let isFlat = lines.allSatisfy { !$0.contains(#""details""#) }
                #expect(isFlat)
                try runbook.write(lines, to: "server.log")
                let restored = try await runbook.run(["restore", "copy", "--replay", "server.log", "--replace"])
                #expect(restored.text.contains("the secret keys \(shop) have ended"), "\(restored.text)")
                #expect(restored.text.contains("the operator kim is disabled"), "\(restored.text)")
            }
        }
    }

    @Test(
        "A copy is refused where a file is, where no database is, and where it can't be read",
        arguments: Engine.available)
    func refusals(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                let runbook = RunbookTest(
                    data: ["--database", url, "--key-file", "master.key"], folder: folder, app: "game")
                _ = try await Command.createApp("game", runbook.data, in: folder)
                try runbook.write(["mine"], to: "copy")
                let exists = try await runbook.run(["backup", "copy"], status: 1)
                #expect(exists.text.contains("nothing is overwritten"))
                #expect(try runbook.read("copy") == Data("mine\n".utf8))
                #expect(
                    try await runbook.run(["restore", "copy", "--confirm", "--replace"], status: 1).text.contains(
                        "no copy"))
                try runbook.write([], to: "other.partial")
                #expect(try await runbook.run(["backup", "other"], status: 1).text.contains("other.partial"))

                _ = try await runbook.run(["backup", "whole"])
                let whole = try runbook.read("whole")
                // The copies are damaged in the middle, cut off, and for the other engine.
                try
                    (whole.prefix(whole.count / 2) + Data(repeating: 0xa5, count: 4_096) + whole.suffix(whole.count / 3))
                    .write(to: folder.appendingPathComponent("damaged"))
                try whole.prefix(whole.count / 2).write(to: folder.appendingPathComponent("cut"))
                for name in ["damaged", "cut"] {
                    let refused = try await runbook.run(["restore", name, "--confirm", "--replace"], status: 1)
                    #expect(refused.text.contains("damaged"), "\(refused.text)")
                }
                let other = engine == .sqlite ? "postgres://u:secret-word@127.0.0.1:1/x" : "sqlite:other.db"
                let refused = try await Command.run(["restore", "whole", "--confirm", "--database", other], in: folder)
                #expect(refused.status == 1)
                #expect(refused.text.contains("is a copy of a"), "\(refused.text)")
                let missing = try await Command.run(
                    ["backup", "none", "--database", engine == .sqlite ? "sqlite:none.db" : other], in: folder)
                #expect(missing.status == 1)
                #expect(!missing.text.contains("secret-word"))
                for name in ["none", "none.db", "other.db", "whole.partial"] {
                    #expect(!FileManager.default.fileExists(atPath: folder.appendingPathComponent(name).path))
                }
                // None of this has changed the database.
                #expect(try await runbook.run(["app", "list"]).text.contains("game"))
            }
        }
    }

    @Test("A copy is restored where no database is, for its owner alone, and not beside the log of one that is gone")
    func newPlace() async throws {
        try await withFolder { folder in
            let runbook = RunbookTest(data: ["--database", "sqlite:game.db"], folder: folder, app: "game")
            _ = try await Command.createApp("game", runbook.data, in: folder)
            _ = try await runbook.run(["backup", "copy"])
            let target = ["--database", "sqlite:new/game.db", "--key-file", "game.db.key"]
            let restored = try await Command.run(["restore", "copy", "--confirm"] + target, in: folder)
            #expect(restored.status == 0, "\(restored.text)")
            #expect(try runbook.rights(of: "new/game.db") == 0o600)
            #expect(try await Command.run(["app", "list"] + target, in: folder).text.contains("game"))

            try FileManager.default.removeItem(at: folder.appendingPathComponent("new/game.db"))
            try runbook.write(["frames"], to: "new/game.db-wal")
            let refused = try await Command.run(["restore", "copy", "--confirm"] + target, in: folder)
            #expect(refused.status == 1)
            #expect(refused.text.contains("game.db-wal"))
            #expect(
                try await Command.run(["restore", "copy", "--confirm", "--replace"] + target, in: folder).status == 0)
            #expect(try await Command.run(["app", "list"] + target, in: folder).text.contains("game"))
        }
    }
}

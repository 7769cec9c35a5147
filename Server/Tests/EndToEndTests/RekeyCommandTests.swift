import Foundation
import GatehouseCore
import GatehouseServer
import TestDatabases
import Testing

/// The change of the master key by an operator.
@Suite struct RekeyCommandTests {
    @Test(
        "KEY-1: `gatehouse rekey` changes the key file while the server serves; a restart takes the new one, and refuses the old",
        .timeLimit(.minutes(5)), arguments: Engine.available)
    func file(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                let data = ["--database", url, "--key-file", ".gatehouse/master.key"]
                let server = try await ServingCommand.start(["dev"] + data, in: folder)
                let player = try await play("player:alice,login:google", server.url, folder)
                let path = folder.appendingPathComponent(".gatehouse/master.key").path
                let old = try Data(contentsOf: URL(fileURLWithPath: path))

                let rekeyed = try await Command.run(["rekey"] + data, in: folder)
                #expect(rekeyed.status == 0, "\(rekeyed.text)")
                #expect(rekeyed.text.contains("master.key holds the new one"))
                #expect(try await Command.run(["audit"] + data, in: folder).text.contains("master-key.changed"))
                let new = try Data(contentsOf: URL(fileURLWithPath: path))
                #expect(new != old)
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                // The running server is not affected, and commands work at the same time.
                #expect(try await play("last,me,logout,login:google", server.url, folder) == player)
                #expect(try await Command.run(["app", "list"] + data, in: folder).status == 0)
                server.command.signal(SIGTERM)
                #expect(await server.command.status() == 0)

                let again = try await ServingCommand.start(["dev"] + data, in: folder)
                #expect(try await play("last,me,logout,login:google", again.url, folder) == player)
                again.command.signal(SIGTERM)
                #expect(await again.command.status() == 0)

                // A copy of the old key.
                try old.write(to: URL(fileURLWithPath: path))
                let refused = try await Command.run(["serve", "--port", "0"] + data, in: folder)
                #expect(refused.status == 1)
                #expect(refused.text.contains("the master key does not open the secrets of this database"))
                #expect(try await Command.run(["rekey"] + data, in: folder).status == 1)
                try new.write(to: URL(fileURLWithPath: path))
                #expect(try await Command.run(["app", "list"] + data, in: folder).status == 0)
            }
        }
    }

    @Test(
        "KEY-1: after a lost key file nothing starts with a new key; `rekey --lost` says what is gone, and sessions go on",
        .timeLimit(.minutes(5)), arguments: Engine.available)
    func lost(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                let data = ["--database", url, "--key-file", ".gatehouse/master.key"]
                let server = try await ServingCommand.start(["dev"] + data, in: folder)
                let player = try await play("player:alice,login:google", server.url, folder)
                server.command.signal(SIGTERM)
                #expect(await server.command.status() == 0)
                let path = folder.appendingPathComponent(".gatehouse/master.key").path
                try FileManager.default.removeItem(atPath: path)

                for command in [["serve", "--port", "0"], ["dev", "--port", "0"], ["app", "list"], ["rekey"]] {
                    let refused = try await Command.run(command + data, in: folder)
                    #expect(refused.status == 1)
                    #expect(refused.text.contains(".gatehouse/master.key is missing"), "\(refused.text)")
                    #expect(refused.text.contains("gatehouse rekey --lost"))
                    #expect(!FileManager.default.fileExists(atPath: path))
                }
                // Its standard input contains no answer.
                let asked = try await Command.run(["rekey", "--lost"] + data, in: folder)
                #expect(asked.status == 1)
                #expect(asked.text.contains("gatehouse idp set google --app devgame"), "\(asked.text)")
                #expect(asked.text.contains("Nothing is changed"))
                #expect(!FileManager.default.fileExists(atPath: path))
                let done = try await Command.run(["rekey", "--lost", "--yes"] + data, in: folder)
                #expect(done.status == 0, "\(done.text)")
                let attributes = try FileManager.default.attributesOfItem(atPath: path)
                #expect(attributes[.posixPermissions] as? Int == 0o600)
                #expect(try await Command.run(["rekey", "--lost", "--yes"] + data, in: folder).status == 1)
                #expect(try await Command.run(["audit"] + data, in: folder).text.contains("master-key.replaced"))

                // The device is logged in by its session, and the game's server can verify its new access token.
                let again = try await ServingCommand.start(["dev"] + data, in: folder)
                #expect(try await play("last,me,heartbeat,token", again.url, folder) == player)
                #expect(try await play("logout,login:google", again.url, folder) == player)
                again.command.signal(SIGTERM)
                #expect(await again.command.status() == 0)
            }
        }
    }

    @Test("KEY-1: a master key of the environment changes to one of the environment", .timeLimit(.minutes(2)))
    func environment() async throws {
        try await withFolder { folder in
            let keys = (0..<2).map { Data(repeating: UInt8($0 + 1), count: 32).base64EncodedString() }
            func run(_ arguments: [String], _ key: String, new: String? = nil) async throws -> Command.Result {
                var environment = ["GATEHOUSE_MASTER_KEY": key]
                environment["GATEHOUSE_NEW_MASTER_KEY"] = new
                return try await Command.run(arguments, in: folder, environment: environment)
            }
            let created = try await Command.createApp(
                "game", in: folder, environment: ["GATEHOUSE_MASTER_KEY": keys[0]])
            #expect(created.status == 0)
            let missing = try await run(["rekey"], keys[0])
            #expect(missing.status == 1)
            #expect(missing.text.contains("GATEHOUSE_NEW_MASTER_KEY is missing"))
            #expect(try await run(["rekey"], keys[0], new: "c2hvcnQ=").status == 1)
            #expect(try await run(["rekey"], keys[0], new: keys[0]).status == 1)
            let changed = try await run(["rekey"], keys[0], new: keys[1])
            #expect(changed.status == 0, "\(changed.text)")
            #expect(!changed.text.contains(keys[1]))
            #expect(try await run(["app", "rotate-key", "game"], keys[0]).status == 1)
            #expect(try await run(["app", "rotate-key", "game"], keys[1]).status == 0)
            // Keys from the environment can't be combined with a file.
            let mixed = try await Command.run(
                ["rekey", "--database", "sqlite:other.db"], in: folder,
                environment: ["GATEHOUSE_NEW_MASTER_KEY": keys[1]])
            #expect(mixed.status == 1)
            #expect(mixed.text.contains("goes with GATEHOUSE_MASTER_KEY"))
        }
    }

    /// Runs a script of the game client; returns the user id of its last line.
    private func play(_ script: String, _ url: String, _ folder: URL) async throws -> String {
        let result = try await Command.run(
            ["play", "--server", url, "--storage", "device.json", "--json", "--script", script], in: folder)
        #expect(result.status == 0, "\(result.text)")
        let last = try #require(result.lines.last)
        return try #require(try JSONDecoder().decode(Step.self, from: Data(last.utf8)).userId)
    }

    private struct Step: Decodable {
        let userId: String?
    }
}

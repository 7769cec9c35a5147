import Foundation
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// The database of a command, and the command's behaviour if it doesn't exist.
@Suite(.timeLimit(.minutes(10))) struct DatabaseCommandTests {
    /// Commands that read or change data, but never create a database.
    private static let commands = [
        ["app", "create", "game"], ["app", "list"], ["app", "limits", "game"], ["app", "rotate-key", "game"],
        ["member", "list"], ["member", "show", "AAAAAAAAAAAAAAAA"], ["ban", "list"], ["idp", "list"], ["jobs"],
        ["rekey"],
    ]

    @Test("A command makes no database: where there is none it says so and exits with 1", arguments: Engine.available)
    func none(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                for command in Self.commands {
                    let result = try await Command.run(command + ["--database", url], in: folder)
                    #expect(result.status == 1, "\(command): \(result.text)")
                    #expect(result.text.contains("There is no Gatehouse database at "), "\(command): \(result.text)")
                }
                #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == [])
                if engine == .sqlite {
                    #expect(!FileManager.default.fileExists(atPath: String(url.dropFirst("sqlite:".count))))
                } else {
                    let database = try await Database.open(DatabaseLocation(url))
                    let tables = try await database.read { tx in
                        try tx.first("SELECT COUNT(*) FROM pg_tables WHERE schemaname = 'public'") { row in
                            try row[0] as Int
                        }
                    }
                    await database.close()
                    #expect(tables == 0)
                }
                #expect(try await Command.run(["migrate", "--database", url], in: folder).status == 0)
                let made = try await Command.run(["app", "create", "game", "--database", url], in: folder)
                #expect(made.status == 0, "\(made.text)")
            }
        }
    }

    @Test("A database of an older version is migrated by nobody who only looks", arguments: Engine.available)
    func older(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            let database = try await Database.open(DatabaseLocation(url))
            try await database.migrate(Array(Migration.all.dropLast()))
            try await withFolder { folder in
                let result = try await Command.run(["app", "list", "--database", url], in: folder)
                #expect(result.status == 1)
                #expect(result.text.contains("is of an older version"), "\(result.text)")
                #expect(try await database.schema(Migration.all) == .older)
            }
            await database.close()
        }
    }

    @Test("Tables are distributed only with Citus, and a line is printed for each step", arguments: Engine.available)
    func distributed(engine: Engine) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                let migrate = ["migrate", "--distributed", "--database", url]
                let refused = try await Command.run(migrate, in: folder)
                #expect(refused.status == 1)
                let reason = engine == .sqlite ? "SQLite has one node" : "The database has no extension citus."
                #expect(refused.text.contains(reason), "\(refused.text)")
                guard engine == .postgresql else { return }
                let database = try await Database.open(DatabaseLocation(url))
                try await database.becomeStandInCitus()
                await database.close()
                let done = try await Command.run(migrate, in: folder)
                #expect(done.status == 0, "\(done.text)")
                #expect(done.text.contains("apps: a reference table, as a whole on every node."), "\(done.text)")
                #expect(done.text.contains("sessions: distributed by app_id, beside members."), "\(done.text)")
                let again = try await Command.run(migrate, in: folder)
                #expect(again.text.contains("Every table is distributed already."), "\(again.text)")
            }
        }
    }

    @Test("With --json standard output has nothing but objects")
    func objects() async throws {
        try await withFolder { folder in
            let migrated = try await Command.objects(["migrate"], in: folder)
            #expect(migrated.map { $0["migration"] } == [.integer(Int64(Migration.newest))])
            #expect(migrated.map { $0["isNew"] } == [.bool(true)])
            #expect(try await Command.objects(["migrate"], in: folder).map { $0["isNew"] } == [.bool(false)])
            #expect(try await Command.run(["app", "create", "game"], in: folder).status == 0)
            let saved = try await Command.objects(["backup", "saved.db"], in: folder)
            #expect(saved.map { $0["file"] } == [.string("saved.db")])
            let copied = try await Command.objects(["copy", "--to-database", "sqlite:other.db"], in: folder)
            #expect(copied.map { $0["toDatabase"] } == [.string("sqlite:other.db")])
            let restored = try await Command.objects(["restore", "saved.db", "--replace", "--confirm"], in: folder)
            #expect(restored.first?["isCurrent"] == .bool(true))
            #expect(restored.contains { $0["appId"] == .string("game") && $0["secretKey"] != nil })
            #expect(try await Command.objects(["rekey"], in: folder).map { $0["masterKey"] != nil } == [true])
        }
    }

    @Test("A command on an app that is not there says so, names those that are, and exits with 1")
    func apps() async throws {
        try await withFolder { folder in
            #expect(try await Command.createApp("one", in: folder).status == 0)
            #expect(try await Command.run(["member", "list"], in: folder).status == 0)
            for command in [
                ["member", "list"], ["member", "show", "AAAAAAAAAAAAAAAA"], ["member", "history", "AAAAAAAAAAAAAAAA"],
                ["member", "search", "x"], ["ban", "list"], ["ban", "template"], ["idp", "list"],
                ["idp", "test", "google"], ["idp", "disable", "google"], ["idp", "set", "google", "--client-id", "x"],
                ["member", "withdraw", "AAAAAAAAAAAAAAAA", "--reason", "x"], ["member", "kick-out", "--everyone"],
            ] {
                let result = try await Command.run(command + ["--app", "two"], in: folder)
                #expect(result.status == 1, "\(command): \(result.text)")
                #expect(result.text.contains("There is no app two in this database. There are: one"))
            }
            for command in [
                ["app", "rotate-secret"], ["app", "revoke-old-secrets"], ["app", "rotate-key"], ["app", "limits"],
                ["app", "test-device"], ["app", "secrets"], ["app", "accounts"], ["app", "transfer"],
            ] {
                let result = try await Command.run(command + ["two"], in: folder)
                #expect(result.status == 1, "\(command): \(result.text)")
                #expect(result.text.contains("There is no app two"), "\(command): \(result.text)")
            }
            #expect(try await Command.run(["app", "create", "two"], in: folder).status == 0)
            let ambiguous = try await Command.run(["member", "list"], in: folder)
            #expect(ambiguous.status == 1)
            #expect(ambiguous.text.contains("Say which app, with --app. There are: one, two"), "\(ambiguous.text)")
            let chosen = try await Command.run(["member", "list"], in: folder, environment: ["GATEHOUSE_APP": "two"])
            #expect(chosen.status == 0)
        }
    }

    @Test("Files with names of one letter are files like others")
    func shortNames() async throws {
        try await withFolder { folder in
            let made = try await Command.createApp("one", ["--database", "sqlite:d", "--key-file", "k"], in: folder)
            #expect(made.status == 0, "\(made.text)")
        }
    }

    @Test(
        "`gatehouse dev` starts in an empty folder, with either database and wherever the key file is",
        arguments: Engine.available, [nil, "secrets/master.key"])
    func emptyFolder(engine: Engine, keyFile: String?) async throws {
        try await withDatabaseURL(engine) { url in
            try await withFolder { folder in
                let data = ["--database", url] + (keyFile.map { ["--key-file", $0] } ?? [])
                for _ in 0..<2 {
                    let server = try await ServingCommand.start(["dev"] + data, in: folder)
                    let apps = try await Command.run(["app", "list"] + data, in: folder)
                    #expect(apps.text.contains("devgame"), "\(apps.text)")
                    server.command.signal(SIGTERM)
                    let end = await server.command.finish()
                    #expect(end.status == 0, "\(end.text)")
                }
            }
        }
    }

    @Test(
        "PostgreSQL's key file is the same one from every working directory", .enabled(if: Engine.available.count > 1))
    func keyFile() async throws {
        try await withDatabaseURL(.postgresql) { url in
            try await withFolder { folder in
                let home = ["HOME": folder.path]
                let elsewhere = folder.appendingPathComponent("elsewhere")
                try FileManager.default.createDirectory(at: elsewhere, withIntermediateDirectories: true)
                let made = try await Command.createApp(
                    "game", ["--database", url], in: folder, environment: home)
                #expect(made.status == 0, "\(made.text)")
                let keys = try FileManager.default.contentsOfDirectory(
                    atPath: folder.appendingPathComponent(".local/share/gatehouse").path)
                #expect(keys.count == 1)
                #expect(keys.first?.hasSuffix(".key") == true)
                let rotated = try await Command.run(
                    ["app", "rotate-key", "game", "--database", url], in: elsewhere, environment: home)
                #expect(rotated.status == 0, "\(rotated.text)")
                #expect(try FileManager.default.contentsOfDirectory(atPath: elsewhere.path) == [])
            }
        }
    }
}

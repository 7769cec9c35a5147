import FakeProviders
import Foundation
import Gatehouse
import GatehouseStorage
import GatehouseTesting
import HummingbirdTesting
import Logging
import TestDatabases
import Testing

/// Whole moves: players come from another system beside a running server, their devices find them, and all of them can leave again.
@Suite(.timeLimit(.minutes(10))) struct MoveTests {
    @Test(
        "A game moves from Firebase: plan, import, kill, resume, verify; one device gets its player, and another app all of them",
        arguments: Engine.available)
    func firebase(engine: Engine) async throws {
        try await move(engine) { runbook, world in
            let anonymous = (0..<2_000).map { "AnonymousUser\(1_000 + $0)" }
            try Self.firebaseFile(adding: anonymous, to: runbook.folder)
            let source = [
                "import", "source", "set", "firebase", "--kind", "firebase", "--project", FakeOldSystems.project,
                "--fake-world", world.url,
            ]
            _ = try await runbook.run(source)
            let convert = #""$0" import convert --kind firebase --from project=my-game users.json > day0.jsonl"#
            _ = try await Command.run(["-c", convert, Command.gatehouse], in: runbook.folder, executable: "/bin/sh")
            let members = ["import", "members", "--source", "firebase", "day0.jsonl"]
            let plan = try await runbook.run(members + ["--dry-run"])
            let counts = try #require(plan.text.firstMatch(of: #/plan: (\d+) read = (\d+) imported/#))
            #expect(Int(counts.output.2).map { $0 > anonymous.count } == true, "\(plan.text)")

            // At this rate it is far from its end, however slow the machine is.
            let killed = try Command(
                members + ["--yes", "--batch", "5", "--rate", "10"] + runbook.data, in: runbook.folder)
            for await line in killed.lines where line.hasPrefix("run ") { break }
            for _ in 0..<2 {
                // A server beside it begins and ends.
                try await Self.serving(runbook) { server in _ = try await runbook.guest(server) }
            }
            killed.signal(SIGKILL)
            #expect(await killed.status() == 128 + SIGKILL)
            let id = try await Self.run(of: "firebase", in: runbook)
            let resumed = try await runbook.run(["import", "resume", id, "--rate", "1000000"])
            #expect(resumed.text.contains("\(counts.output.1) read = \(counts.output.2) imported"), "\(resumed.text)")
            let verified = try await runbook.run(["import", "verify", id])
            #expect(verified.text.contains("there are 0 differences"), "\(verified.text)")

            try await Self.serving(runbook) { server in
                let url = try #require(URL(string: server.url))
                let ids = try Self.ids(of: id, in: runbook)
                let storage = MemoryStorage()
                let token = LegacyCredential(
                    kind: .idToken, value: try world.systems.token(.firebase, for: anonymous[7]))
                let device = try await runbook.device(at: url, storage: storage)
                let login = try await device.migrate(from: "firebase", credential: token)
                #expect(login.member.userId.rawValue == ids[anonymous[7]])
                #expect(login.migrated?.first == true)
                let thief = try await runbook.device(at: url)
                let stolen = await failure { try await thief.migrate(from: "firebase", credential: token) }
                #expect(stolen?.code == .authIDPLoginFailed && stolen?.reason == .credentialRejected)
                let fresh = LegacyCredential(
                    kind: .idToken, value: try world.systems.token(.firebase, for: anonymous[7]))
                let second = await failure { try await thief.migrate(from: "firebase", credential: fresh) }
                #expect(second?.code == .authIDPLoginFailed && second?.reason?.rawValue == "legacy_claimed")
                let again = try await runbook.device(at: url, storage: storage)
                #expect(try await again.logInWithLastProvider().member.userId == login.member.userId)
            }
            try await Self.expectLeaving(runbook)
        }
    }

    @Test(
        "Imported players who have not come yet survive a new master key, a copy into the other engine, and a restore",
        arguments: Engine.available)
    func waiting(engine: Engine) async throws {
        try await move(engine) { runbook, world in
            try ImportMembersCommandTests.file(4, source: "nakama", kind: "nakama")
                .write(to: runbook.folder.appendingPathComponent("nakama.jsonl"))
            try runbook.write([FakeOldSystems.secret], to: "nakama.key")
            let source = [
                "import", "source", "set", "nakama", "--kind", "nakama", "--secret-file", "nakama.key", "--bare-ids",
                "guests",
            ]
            _ = try await runbook.run(source)
            _ = try await runbook.run(["import", "members", "--source", "nakama", "nakama.jsonl", "--yes"])
            let ids = try await Self.ids(of: Self.run(of: "nakama", in: runbook), in: runbook)
            let user = try (0..<4).map { try #require(ids["player,\($0)"]) }

            let storage = MemoryStorage()
            try await Self.serving(runbook) { server in
                #expect(try await Self.come(0, in: storage, to: server, runbook) == user[0])
                _ = try await runbook.run(["rekey"])
                #expect(try await Self.come(1, to: server, runbook) == user[1])
            }
            _ = try await runbook.run(["backup", "night.copy"])
            _ = try await runbook.run(["copy", "--to-database", "sqlite:copied.db"])
            let copied = RunbookTest(
                data: ["--database", "sqlite:copied.db", "--key-file", "master.key"], folder: runbook.folder,
                app: "game")
            try await Self.expectPlayers(user, at: copied, in: world, storage)
            // Who has come since the copy comes once more.
            #expect(try await Self.serving(runbook) { try await Self.come(3, to: $0, runbook) } == user[3])
            _ = try await runbook.run(["restore", "night.copy", "--confirm", "--replace"])
            try await Self.expectPlayers(user, at: runbook, in: world, storage)
        }
    }

    @Test("An import that a full disk or a lost database ends goes on with the same file", arguments: Engine.available)
    func stopped(engine: Engine) async throws {
        try await move(engine) { runbook, _ in
            try ImportMembersCommandTests.file(4_000, source: "nakama", kind: "nakama")
                .write(to: runbook.folder.appendingPathComponent("nakama.jsonl"))
            try runbook.write([FakeOldSystems.secret], to: "nakama.key")
            _ = try await runbook.run([
                "import", "source", "set", "nakama", "--kind", "nakama", "--secret-file", "nakama.key",
            ])
            let members = ["import", "members", "--source", "nakama", "nakama.jsonl", "--yes", "--batch", "100"]
            switch engine {
            case .sqlite:
                // The write-ahead log may not get longer than this.
                let limited = #"trap '' XFSZ; ulimit -f 2000; exec "$0" "$@""#
                let full = try await Command.run(
                    ["-c", limited, Command.gatehouse] + members + runbook.data, in: runbook.folder,
                    executable: "/bin/sh")
                #expect(full.status == 1 && full.text.contains("Error: "), "\(full.text)")
            case .postgresql:
                for failure in [
                    "RAISE EXCEPTION 'no space left on device' USING ERRCODE = '53100'",
                    "PERFORM pg_terminate_backend(pg_backend_pid())",
                ] {
                    try await Self.failing(failure, after: 1_000, at: runbook) {
                        let command = failure.hasPrefix("RAISE") ? members : ["import", "resume", $0]
                        let result = try await runbook.run(command, status: 1)
                        #expect(result.text.contains("Error: "), "\(result.text)")
                    }
                }
            }
            let id = try await Self.run(of: "nakama", in: runbook)
            let resumed = try await runbook.run(["import", "resume", id])
            #expect(resumed.text.contains("4000 read = 4000 imported + 0 skipped + 0 rejected"), "\(resumed.text)")
            let verified = try await runbook.run(["import", "verify", id])
            #expect(verified.text.contains("4000 members are as the file says, and there are 0 differences"))
        }
    }

    /// Two players come, one by the key that is sealed in the database and one by a device's keyed hash. Two have come before.
    private static func expectPlayers(
        _ user: [String], at runbook: RunbookTest, in world: World, _ storage: MemoryStorage
    ) async throws {
        try await serving(runbook) { server in
            let url = try #require(URL(string: server.url))
            let back = try await runbook.device(at: url, storage: storage)
            #expect(try await back.logInWithLastProvider().member.userId.rawValue == user[0])
            let token = try world.systems.token(.nakama, for: "player,2")
            let device = try await runbook.device(at: url)
            let login = try await device.migrate(
                from: "nakama", credential: LegacyCredential(kind: .sessionToken, value: token))
            #expect(login.member.userId.rawValue == user[2])
            #expect(try await come(3, to: server, runbook) == user[3])
            // It is not told whether an id is unknown or claimed.
            let second = await failure { _ = try await come(1, to: server, runbook) }
            #expect(second?.reason?.rawValue == "legacy_unknown")
        }
    }

    // MARK: The old systems, and the operator

    /// The old systems at an address of this machine.
    private struct World: Sendable {
        let systems: FakeOldSystems
        let url: String
    }

    /// Runs a test with an app and its operator.
    private func move(
        _ engine: Engine, _ test: @escaping @Sendable (RunbookTest, World) async throws -> Void
    ) async throws {
        let idps = FakeProviders(
            origin: "http://127.0.0.1:1", key: try FakeSigningKey(), nowSeconds: { Int64(Date().timeIntervalSince1970) }
        )
        var logger = Logger(label: "test")
        logger.logLevel = .critical
        let world = FakeProviderServer(providers: idps, logger: logger).application(port: 0)
        try await withDatabaseURL(engine) { location in
            try await withFolder { folder in
                let runbook = RunbookTest(
                    data: ["--database", location, "--key-file", "master.key"], folder: folder, app: "game")
                #expect(try await Command.createApp("game", runbook.data, in: folder).status == 0)
                try await world.test(.live) { client in
                    let port = try #require(client.port)
                    try await test(runbook, World(systems: idps.oldSystems, url: "http://127.0.0.1:\(port)"))
                }
            }
        }
    }

    /// Runs a test with a server, and ends it.
    private static func serving<Value>(
        _ runbook: RunbookTest, _ test: (ServingCommand) async throws -> Value
    ) async throws -> Value {
        let server = try await ServingCommand.start(
            ["serve", "--allow-local-providers", "true"] + runbook.data, in: runbook.folder)
        let value = try await test(server)
        server.command.signal(SIGTERM)
        #expect(await server.command.status() == 0)
        return value
    }

    /// A player of the old system comes with the device's id. Returns the user id here.
    private static func come(
        _ number: Int, in storage: MemoryStorage = MemoryStorage(), to server: ServingCommand, _ runbook: RunbookTest
    ) async throws -> String {
        let device = try await runbook.device(at: #require(URL(string: server.url)), storage: storage)
        let id = LegacyCredential(kind: .deviceID, value: ProviderToken("device-number-\(number)"))
        return try await device.migrate(from: "nakama", credential: id).member.userId.rawValue
    }

    /// The newest run.
    private static func run(of source: String, in runbook: RunbookTest) async throws -> String {
        let listed = try await runbook.run(["import", "status"])
        let row = listed.lines.first { $0.contains("\t\(source)\t") }
        return try #require(row?.split(separator: "\t").first.map(String.init), "\(listed.text)")
    }

    /// The user id of each legacy id, from a run's report.
    private static func ids(of run: String, in runbook: RunbookTest) throws -> [String: String] {
        let lines = String(decoding: try runbook.read("import-runs/\(run)/ids.csv"), as: UTF8.self).split(
            separator: "\n")
        return lines.dropFirst().reduce(into: [:]) { ids, line in
            // A legacy id may have a comma, and a user id has none.
            let parts = line.trimmingCharacters(in: ["\r"]).split(separator: ",")
            let id = parts.dropLast().joined(separator: ",").trimmingCharacters(in: ["\""])
            if let user = parts.last { ids[id] = String(user) }
        }
    }

    /// Runs something while PostgreSQL fails at each member after the first ones.
    private static func failing(
        _ failure: String, after count: Int, at runbook: RunbookTest, _ test: (String) async throws -> Void
    ) async throws {
        let location = try DatabaseLocation(runbook.data[1])
        try await withOpen(location) { database in
            try await database.transact { tx in
                try tx.execute(
                    SQL(
                        stringLiteral: """
                            CREATE FUNCTION fail() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
                                IF (SELECT count(*) FROM members) > \(count) THEN \(failure); END IF;
                                RETURN NULL;
                            END $$
                            """))
                try tx.execute(
                    "CREATE TRIGGER fail AFTER INSERT ON members FOR EACH STATEMENT EXECUTE FUNCTION fail()")
            }
        }
        let listed = try await runbook.run(["import", "status"])
        try await test(listed.lines.last?.split(separator: "\t").first.map(String.init) ?? "")
        try await withOpen(location) { database in
            try await database.transact { tx in try tx.execute("DROP FUNCTION fail() CASCADE") }
        }
    }

    // MARK: Files

    /// Firebase's own sample file, with players of whom it says only that they are there.
    private static func firebaseFile(adding anonymous: [String], to folder: URL) throws {
        let sample = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("GatehouseImportTests/Fixtures/input/firebase-cli.json")
        let file = try #require(JSONSerialization.jsonObject(with: Data(contentsOf: sample)) as? [String: Any])
        let users = try #require(file["users"] as? [[String: Any]])
        let more = anonymous.map { ["localId": $0, "createdAt": "1704067200000", "lastSignedInAt": "1767225600000"] }
        try JSONSerialization.data(withJSONObject: ["users": users + more])
            .write(to: folder.appendingPathComponent("users.json"))
    }

    /// Everybody leaves for another app, with the same records and the same digests.
    private static func expectLeaving(_ runbook: RunbookTest) async throws {
        for command in [
            ["export", "--app", "game", "--output", "out"], ["app", "create", "next"],
            [
                "import", "source", "set", "game", "--app", "next", "--kind", "openid", "--issuer",
                "https://login.example.com/v1/apps/game", "--audience", "game",
            ],
            [
                "import", "members", "--app", "next", "--source", "game", "out/members-001.jsonl", "--user-ids", "keep",
                "--yes",
            ],
            ["export", "--app", "next", "--output", "next"],
        ] {
            _ = try await runbook.run(command)
        }
        let (before, after) = try (
            ExportCommandTests.records("out/members-001.jsonl", in: runbook.folder),
            ExportCommandTests.records("next/members-001.jsonl", in: runbook.folder)
        )
        #expect(before.count > 2_000 && before == after)
    }
}

import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// An operator's changes of many members at once, and of a guest that has lost its device, only with the command.
@Suite(.timeLimit(.minutes(10))) struct ModerationCommandTests {
    /// A database with an app and more members than a run changes concurrently.
    private struct Ground {
        static let memberCount = 1_100

        let data: [String]
        let folder: URL
        let database: Database
        let users: [String]

        static func open(_ engine: Engine, _ test: (Ground) async throws -> Void) async throws {
            try await withDatabaseURL(engine) { url in
                try await withFolder { folder in
                    let data = ["--database", url, "--key-file", "key"]
                    #expect(try await Command.createApp("game", data, in: folder).status == 0)
                    let database = try await Database.open(DatabaseLocation(url))
                    let users = (0..<memberCount).map(userID)
                    try await database.transact { tx in
                        for user in users {
                            try tx.execute(
                                """
                                INSERT INTO members (app_id, user_id, status, registered_at, last_login_at)
                                VALUES (\("game"), \(user), \("Y"), \(0), \(0))
                                """)
                        }
                    }
                    try await test(Ground(data: data, folder: folder, database: database, users: users))
                    await database.close()
                }
            }
        }

        private static func userID(_ number: Int) -> String {
            let letters = Array(UserID.alphabet)
            return String((0..<UserID.length).map { letters[(number >> ($0 * 4)) % 16] })
        }

        func write(_ lines: [String], to name: String, end: String = "\n") throws {
            try Data(lines.map { $0 + end }.joined().utf8).write(to: folder.appendingPathComponent(name))
        }

        func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
            let result = try await Command.run(arguments + data, in: folder)
            #expect(result.status == status, "\(arguments): \(result.lines.suffix(5))")
            return result.text
        }

        func count(_ sql: SQL) async throws -> Int {
            try await database.read { tx in try tx.first(sql) { try $0[0] as Int } ?? -1 }
        }

        func bans() async throws -> Int { try await count("SELECT COUNT(*) FROM bans WHERE released_at IS NULL") }
        func records(_ event: String) async throws -> Int {
            try await count("SELECT COUNT(*) FROM audit_log WHERE event = \(event)")
        }
    }

    @Test(
        "BAN-1: a file of members is tried, banned and released, and worked off again without a second ban",
        arguments: Engine.ofDoors)
    func files(engine: Engine) async throws {
        try await Ground.open(engine) { ground in
            let unknown = String(repeating: "A", count: 16)
            let listed =
                ["\u{feff}# exported", ""] + ground.users + [
                    "not-an-id", " \(unknown) ", String(repeating: "x", count: 100_000),
                ]
            // Editors on Windows write files like this.
            try ground.write(listed, to: "all", end: "\r\n")
            let count = Ground.memberCount
            let arguments = ["ban", "add", "--file", "all", "--permanent", "--reason", "bots"]

            let dry = try await Command.run(arguments + ["--dry-run"] + ground.data, in: ground.folder)
            #expect(dry.status == 1)
            #expect(dry.text.contains("\(count) would be banned, 0 passed over, 3 wrong"))
            #expect(try await ground.bans() == 0)

            let done = try await Command.run(arguments + ground.data, in: ground.folder)
            #expect(done.status == 1)
            for line in [
                "\(ground.users[7]) banned", "\(count) banned, 0 passed over, 3 wrong",
                "line \(count + 3): it is no user id", "line \(count + 4): \(unknown) is unknown",
                "line \(count + 5): it is no user id",
            ] {
                #expect(done.lines.contains(line), "\(line)")
            }
            #expect(done.lines.contains { $0.hasPrefix("line 10") && $0.hasSuffix("passed over, 0 wrong") })
            #expect(try await ground.bans() == count)
            #expect(try await ground.records("member.banned") == count)

            try ground.write(ground.users, to: "users")
            let again = try await ground.run("ban", "add", "--file", "users", "--permanent", "--reason", "bots")
            #expect(again.contains("0 banned, \(count) passed over, 0 wrong"))
            #expect(try await ground.records("member.banned") == count)
            #expect(
                try await ground.run("ban", "release", "--file", "users", "--reason", "mistaken", "--dry-run")
                    .contains("\(count) would be released, 0 passed over, 0 wrong"))
            #expect(try await ground.bans() == count)
        }
    }

    @Test("A run over a file that is killed goes on with the same command", arguments: Engine.available)
    func interrupted(engine: Engine) async throws {
        try await Ground.open(engine) { ground in
            try ground.write(ground.users, to: "users")
            let arguments = ["ban", "add", "--file", "users", "--permanent", "--reason", "bots"] + ground.data
            let killed = try Command(arguments, in: ground.folder)
            for await line in killed.lines where line.hasSuffix(" banned") {
                killed.signal(SIGKILL)
                break
            }
            _ = await killed.status()
            let count = Ground.memberCount
            let before = try await ground.bans()
            #expect((1..<count).contains(before))
            #expect(try await ground.records("member.banned") == before)
            let rest = try await Command.run(arguments, in: ground.folder)
            #expect(rest.status == 0)
            #expect(rest.text.contains("\(count - before) banned, \(before) passed over, 0 wrong"))
            #expect(try await ground.bans() == count)
            #expect(try await ground.records("member.banned") == count)
        }
    }

    @Test("What no file can be worked off with is refused before its first member")
    func refused() async throws {
        try await Ground.open(.sqlite) { ground in
            try ground.write(ground.users, to: "users")
            let user = ground.users[0]
            _ = try await ground.run("ban", "add", "--permanent", "--reason", "r", status: 64)
            _ = try await ground.run("ban", "add", user, "--file", "users", "--permanent", "--reason", "r", status: 64)
            _ = try await ground.run("ban", "add", user, "--dry-run", "--permanent", "--reason", "r", status: 64)
            for wrong in [
                ["--permanent", "--template", "1", "--reason", "r"],
                ["--until", "2001-01-01T00:00:00Z", "--reason", "r"],
                ["--permanent", "--reason", ""],
            ] {
                let arguments = ["ban", "add", "--file", "users"] + wrong + ground.data
                for dry in [[], ["--dry-run"]] {
                    let result = try await Command.run(arguments + dry, in: ground.folder)
                    #expect(result.status == 1)
                    #expect(result.lines.count <= 2, "\(result.text)")
                }
            }
            let missing = try await ground.run("ban", "release", "--file", "nowhere", "--reason", "r", status: 1)
            #expect(missing.contains("The file nowhere can't be read."))
            #expect(try await ground.bans() == 0)
        }
    }

    @Test("BAN-4: an operator registers, lists and cancels a grace ban")
    func graceBans() async throws {
        try await Ground.open(.sqlite) { ground in
            let user = ground.users[3]
            let condition = [
                "--amount", "50000", "--count", "2", "--currency", "KRW", "--message", "Pay.", "--reason", "r",
            ]
            let add = { (deadline: String) in
                try await Command.run(
                    ["ban", "grace", "add", user, "--until", deadline] + condition + ground.data, in: ground.folder)
            }
            #expect(try await add("2001-01-01T00:00:00Z").status == 1)
            let added = try await add("2040-01-01T00:00:00Z")
            #expect(added.status == 0)
            #expect(added.text.contains("\(user) is banned at 2040-01-01T00:00:00Z unless it has paid"))
            let list = try await ground.run("ban", "grace", "list")
            #expect(list.contains("USER ID\tFROM\tUNTIL\tPAID\tBY\tOUTCOME") && list.contains("\(user)\t"))
            #expect(list.contains("0.0 of 50000.0 KRW and 0 of 2 payments"))
            #expect(try await ground.run("member", "show", user).contains("0 of 2 payments"))
            #expect(
                try await ground.run("ban", "grace", "cancel", user, "--reason", "paid by mail").contains("released"))
            _ = try await ground.run("ban", "grace", "cancel", user, "--reason", "again", status: 1)
            #expect(try await !ground.run("ban", "grace", "list").contains(user))
            #expect(try await ground.run("ban", "grace", "list", "--all").contains("released "))
            #expect(try await ground.run("member", "history", user).contains("paid by mail"))
        }
    }

    @Test("An operator unblocks and reissues a guest's transfer account, and switches keys off")
    func transfers() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            @Sendable func run(_ arguments: String..., status: Int32 = 0) async throws -> String {
                let result = try await Command.run(arguments, in: folder)
                #expect(result.status == status, "\(arguments): \(result.text)")
                return result.text
            }
            @Sendable func play(_ steps: String, status: Int32 = 0) async throws -> String {
                try await run(
                    "play", "--server", server.url, "--storage", "device.json", "--json", "--script", steps,
                    status: status)
            }
            let guest = try await play("guest,issue")
            let user = try String(#require(guest.firstMatch(of: #/"userId":"([A-Z0-9]{16})"/#)?.output.1))
            #expect(try await run("member", "transfer", "show", user).contains("wrong        0 in a row"))
            #expect(
                try await run("member", "transfer", "unblock", user, "--reason", "asked").contains("had all attempts"))
            let reissued = try await run("member", "transfer", "reissue", user, "--reason", "lost phone, ticket 4711")
            #expect(reissued.contains(#/password     [A-Za-z0-9]{10}/#))
            #expect(try await !run("member", "transfer", "show", user).contains("password"))
            _ = try await run("member", "transfer", "show", String(repeating: "A", count: 16), status: 1)
            #expect(try await run("member", "history", user).contains("transfer.reissued"))
            _ = try await run("app", "transfer", "devgame", "--keys", "maybe", status: 64)
            #expect(try await run("app", "transfer", "devgame", "--off", "--keys", "off").contains("keys       off"))
            _ = try await run(
                "member", "transfer", "reissue", user, "--reason", "off by now", status: 1)
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }
}

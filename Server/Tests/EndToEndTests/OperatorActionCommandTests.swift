import Foundation
import GatehouseCore
import GatehouseServer
import GatehouseStorage
import GatehouseWire
import TestDatabases
import Testing

/// `gatehouse do`: what operators do in the console, at the terminal.
@Suite(.timeLimit(.minutes(10))) struct OperatorActionCommandTests {
    /// A database with an app and some members.
    private struct Ground {
        let data: [String]
        let folder: URL
        let database: Database
        let users = ["AAAAAAAAAAAAAAAA", "CCCCCCCCCCCC7K3M"]

        static func open(_ test: (Ground) async throws -> Void) async throws {
            try await withDatabaseURL(.sqlite) { url in
                try await withFolder { folder in
                    let data = ["--database", url, "--key-file", "key"]
                    #expect(try await Command.createApp("game", data, in: folder).status == 0)
                    let ground = Ground(
                        data: data, folder: folder, database: try await Database.open(DatabaseLocation(url)))
                    try await ground.database.transact { tx in
                        for user in ground.users {
                            try tx.execute(
                                """
                                INSERT INTO members (app_id, user_id, status, registered_at, last_login_at)
                                VALUES (\("game"), \(user), \("Y"), \(0), \(0))
                                """)
                        }
                    }
                    try await test(ground)
                    await ground.database.close()
                }
            }
        }

        func run(_ arguments: String..., status: Int32 = 0) async throws -> Command.Result {
            let result = try await Command.run(arguments + data, in: folder)
            #expect(result.status == status, "\(arguments): \(result.text)")
            return result
        }

        func count(_ sql: SQL) async throws -> Int {
            try await database.read { tx in try tx.first(sql) { try $0[0] as Int } ?? -1 }
        }

        func bans() async throws -> Int { try await count("SELECT COUNT(*) FROM bans WHERE released_at IS NULL") }
    }

    @Test("The actions that describe themselves are listed, and of each its fields with their choices")
    func list() async throws {
        try await Ground.open { ground in
            let list = try await ground.run("do", "--list")
            #expect(list.lines.contains("member.banned\tsupport\tBan"))
            for action in OperatorActions.all {
                let row = "\(action.about.name)\t\(action.about.role.rawValue)\t"
                #expect(list.lines.contains { $0.hasPrefix(row) && !$0.contains("deed.") }, "\(action)")
            }
            let fields = try await ground.run("do", "member.banned", "--list").lines.filter { $0.contains("\t") }.map {
                $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            }
            #expect(fields.map(\.first) == ["FIELD", "user", "length", "until", "template"])
            #expect(fields[2].last == "1h|1d|3d|7d|30d|for-good|until")
        }
    }

    @Test("A dry run says what would happen and changes nothing, and the run does it for the reason that is given")
    func ban() async throws {
        try await Ground.open { ground in
            let user = ground.users[0]
            let dry = try await ground.run(
                "do", "member.banned", "--set", "user=\(user)", "--set", "length=1d", "--dry-run")
            #expect(dry.lines.contains("Ban \(user)?"))
            #expect(dry.lines.contains { $0.hasPrefix("- \(user) can't log in until ") })
            #expect(try await ground.bans() == 0)
            let json = try await ground.run(
                "do", "member.banned", "--set", "user=\(user)", "--set", "length=1d", "--dry-run", "--json")
            struct Preview: Decodable {
                let action: String
                let title: String
                let consequences: [String]
            }
            let shown = try Self.decode(Preview.self, json)
            #expect(shown.action == "member.banned" && shown.title == "Ban \(user)?" && shown.consequences.count == 2)
            #expect(try await ground.bans() == 0)

            let done = try await ground.run(
                "do", "member.banned", "--set", "user=\(user)", "--set", "length=until", "--set",
                "until=2040-01-01T09:00:00+09:00", "--reason", "ticket 4711")
            #expect(done.lines.contains("Ban: done"))
            let end = try await ground.count("SELECT ends_at FROM bans WHERE released_at IS NULL")
            #expect(end == 2_208_988_800_000)
            #expect(try await ground.run("member", "history", user).text.contains("ticket 4711"))
            let again = try await ground.run(
                "do", "member.banned", "--set", "user=\(user)", "--reason", "again", status: 64)
            #expect(again.text.contains("length: The member is banned already."))
        }
    }

    @Test("A list says of each member what will happen to it, and afterwards to whom it was not done")
    func members() async throws {
        try await Ground.open { ground in
            let (banned, free) = (ground.users[0], ground.users[1])
            _ = try await ground.run("ban", "add", banned, "--permanent", "--reason", "earlier")
            let list = ["--set", "users=\(banned) \(free)", "--set", "length=for-good"]
            let arguments = ["do", "members.banned"] + list + ground.data
            let dry = try await Command.run(arguments + ["--dry-run"], in: ground.folder)
            #expect(dry.status == 0)
            for user in ground.users { #expect(dry.lines.contains { $0.hasPrefix("\(user)\t") }) }
            #expect(dry.lines.contains("It needs --confirm 1."))
            #expect(try await ground.bans() == 1)
            let done = try await Command.run(arguments + ["--reason", "bots", "--confirm", "1"], in: ground.folder)
            #expect(done.status == 1)
            #expect(done.lines.contains("\(banned) is as before"), "\(done.text)")
            #expect(!done.lines.contains("\(free) is as before"))
            #expect(try await ground.bans() == 2)
        }
    }

    @Test("What can't be done is said by the names of the fields, before anything is done")
    func refused() async throws {
        try await Ground.open { ground in
            func refused(_ arguments: String..., says: String, status: Int32 = 64) async throws {
                let result = try await Command.run(["do"] + arguments + ground.data, in: ground.folder)
                #expect(result.status == status, "\(arguments)")
                #expect(result.text.contains(says), "\(result.text)")
            }
            let user = "user=\(ground.users[0])"
            try await refused(says: "Say which action")
            try await refused("member.crowned", "--set", user, says: "There is no action member.crowned")
            try await refused("member.banned", "--set", "length", says: "length is not FIELD=VALUE")
            try await refused("member.banned", "--set", user, "--set", user, says: "The field user is given twice.")
            try await refused(
                "member.banned", "--set", user, "--set", "lenght=1d", "--reason", "r",
                says: "no field lenght: its fields are user, length, until, template.")
            try await refused(
                "member.banned", "--set", user, "--set", "until=2040-01-01T00:00:00Z", "--reason", "r",
                says: "The field until does not count beside the others")
            try await refused(
                "member.banned", "--set", user, "--set", "length=2d", "--reason", "r",
                says: "length: Choose one from the list.")
            try await refused(
                "member.banned", "--set", user, "--set", "length=until", "--set", "until=tomorrow", "--reason", "r",
                says: "until: tomorrow is not a time such as")
            try await refused("member.banned", "--set", user, says: "with --reason")
            try await refused("member.banned", "--set", user, "--reason", "", says: "with --reason")
            try await refused(
                "member.banned", "--reason", "r", says: "Say what it is about, with --set user=VALUE.")
            try await refused(
                "ban.released", "--set", user, "--reason", "r", says: "not banned", status: 1)
            #expect(try await ground.bans() == 0)
        }
    }

    @Test("What nothing undoes takes the word that the console has typed, and a note takes no reason")
    func words() async throws {
        try await Ground.open { ground in
            let user = "user=\(ground.users[1])"
            let note = try await ground.run("do", "member.noted", "--set", user, "--set", "text=Asked by mail.")
            #expect(note.lines.contains("Add a note: done"))
            #expect(try await ground.count("SELECT COUNT(*) FROM member_notes") == 1)
            for word in [[], ["--confirm", "7K3N"]] {
                let result = try await Command.run(
                    ["do", "member.withdrawn", "--set", user, "--reason", "asked"] + word + ground.data,
                    in: ground.folder)
                #expect(result.status == 64)
                #expect(result.text.contains("say so with --confirm 7K3M."), "\(result.text)")
            }
            #expect(try await ground.run("member", "show", ground.users[1]).text.contains("status       Y"))
            let done = try await ground.run(
                "do", "member.withdrawn", "--set", user, "--reason", "asked", "--confirm", "7K3M")
            #expect(done.lines.contains("Delete account: done"))
            #expect(try await ground.run("member", "show", ground.users[1]).text.contains("status       D"))
        }
    }

    @Test("What it does is in the operators' audit by the same name, with the reason and what was there before")
    func audit() async throws {
        try await Ground.open { ground in
            let user = "user=\(ground.users[0])"
            _ = try await ground.run(
                "do", "limits.set", "--set", "newGuestsPerMinute=7", "--reason", "ticket 4711")
            _ = try await ground.run("do", "member.noted", "--set", user, "--set", "text=plugh")
            _ = try await ground.run("ban", "add", ground.users[0], "--permanent", "--reason", "aimbot")
            let rows = try await ground.database.read { tx in
                try tx.rows(
                    """
                    SELECT action, role, reason, state_before, state_after FROM operator_actions
                    WHERE app_id IS NOT NULL ORDER BY entry_id
                    """
                ) { row in try (0..<5).map { try row[$0] as String } }
            }
            #expect(
                rows.map { Array($0.prefix(3)) } == [
                    ["limits.set", "command", "ticket 4711"], ["member.noted", "command", ""],
                    ["member.banned", "command", "aimbot"],
                ])
            let limit = #""limits.newGuestsPerMinute":"7""#
            #expect(rows.first.map { !$0[3].contains(limit) && $0[4].contains(limit) } == true, "\(rows)")
            #expect(!"\(rows)".contains("plugh"))
            let lines = try await ground.run("audit").text
            for row in rows { #expect(lines.contains("\"audit\":\"\(row[0])\""), "\(row[0])") }
        }
    }

    @Test("A text is found by any name of its language, and an empty one takes away what is there, or is refused")
    func texts() async throws {
        try await Ground.open { ground in
            func set(_ text: String) async throws -> Command.Result {
                let fields = ["--set", "status=303", "--set", text, "--reason", "ticket 4711"]
                return try await Command.run(["do", "status.set"] + fields + ground.data, in: ground.folder)
            }
            func count() async throws -> Int {
                try await ground.count("SELECT COUNT(*) FROM apps WHERE status_message LIKE '%ko-kr%'")
            }
            #expect(try await set("message.ko_KR=닫힘").status == 0)
            #expect(try await count() == 1)
            for text in ["message.ko=", "message.ja_JP="] {
                let refused = try await set(text)
                #expect(refused.status == 64 && refused.text.contains("no such text to take away"), "\(refused.text)")
            }
            #expect(try await count() == 1)
            let removed = try await set("message.KO-kr=")
            #expect(removed.status == 0, "\(removed.text)")
            #expect(try await count() == 0)
        }
    }

    /// The object that a run prints, among the lines of its log.
    private static func decode<Value: Decodable>(_ type: Value.Type, _ result: Command.Result) throws -> Value {
        let line = try #require(result.lines.last { $0.hasPrefix(#"{"action""#) }, "\(result.text)")
        return try JSONDecoder().decode(type, from: Data(line.utf8))
    }

    private static let hasTransfers = OperatorActions.all.contains { $0.about.name == "transfer.reissued" }

    @Test("A secret is made by the run alone, which shows it once", .enabled(if: hasTransfers))
    func secrets() async throws {
        try await withFolder { folder in
            let server = try await ServingCommand.start(["dev"], in: folder)
            @Sendable func run(_ arguments: String...) async throws -> Command.Result {
                let result = try await Command.run(arguments, in: folder)
                #expect(result.status == 0, "\(arguments): \(result.text)")
                return result
            }
            let guest = try await run(
                "play", "--server", server.url, "--storage", "device.json", "--json", "--script", "guest,issue")
            let user = try String(#require(guest.text.firstMatch(of: #/"userId":"([A-Z0-9]{16})"/#)?.output.1))
            let before = try await run("member", "transfer", "show", user).text
            let dry = try await run("do", "transfer.reissued", "--set", "user=\(user)", "--dry-run", "--json")
            #expect(!dry.text.contains("secrets"))
            #expect(try await run("member", "transfer", "show", user).text == before)
            struct Done: Decodable {
                struct Secret: Decodable {
                    let text: String
                }
                let secrets: [Secret]
            }
            let done = try await run("do", "transfer.reissued", "--set", "user=\(user)", "--reason", "r", "--json")
            let secrets = try Self.decode(Done.self, done).secrets
            let shown = try await run("member", "transfer", "show", user).text
            #expect(shown != before)
            #expect(secrets.contains { shown.contains($0.text) } && secrets.contains { !shown.contains($0.text) })
            server.command.signal(SIGTERM)
            #expect(await server.command.status() == 0)
        }
    }
}

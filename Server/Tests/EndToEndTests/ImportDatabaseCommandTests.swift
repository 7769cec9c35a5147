import Foundation
import GatehouseStorage
import TestDatabases
import Testing

/// `gatehouse import convert --from-database` on the tables that Nakama and Supabase have.
@Suite(.enabled(if: Engine.available.contains(.postgresql)), .timeLimit(.minutes(10)))
struct ImportDatabaseCommandTests {
    /// Runs the command, with what it writes in files of its own: the neutral file is `NAME.jsonl`, and the report `NAME.txt`.
    private func convert(
        _ arguments: [String], to name: String, in folder: URL, environment: [String: String] = [:]
    ) async throws -> (status: Int32, players: String, report: String) {
        let result = try await Command.run(
            ["-c", "\"$0\" import convert \"$@\" > \(name).jsonl 2> \(name).txt", Command.gatehouse] + arguments,
            in: folder, environment: environment, executable: "/bin/sh")
        func text(_ file: String) throws -> String {
            String(decoding: try Data(contentsOf: folder.appendingPathComponent(file)), as: UTF8.self)
        }
        return (result.status, try text("\(name).jsonl"), try text("\(name).txt"))
    }

    private static func withoutPlaces(_ report: String) -> String { report.replacing(/at byte \d+/, with: "at a byte") }

    private func compare<Tables: OldTables>(_: Tables.Type, read: String, incidents: [String]) async throws {
        try await Tables.withTables { url, _ in
            try await withFolder { folder in
                try Tables.lines.write(to: folder.appendingPathComponent("rows"))
                for style in [[], ["--json"]] {
                    let common = ["--kind", Tables.kind, "--taken", "2026-11-26T00:00:00Z"] + style
                    let file = try await convert(common + ["rows"], to: "file", in: folder)
                    let tables = try await convert(common + ["--from-database", url], to: "tables", in: folder)
                    #expect(file.status == 2 && tables.status == 2, "\(file.report)\n\(tables.report)")
                    #expect(tables.players == file.players)
                    #expect(tables.players.contains("{\"end\":true"))
                    // JSON escapes the slashes.
                    let place = "\(try DatabaseLocation(url))"
                    let report = tables.report.replacingOccurrences(of: place, with: "rows")
                        .replacingOccurrences(of: place.replacingOccurrences(of: "/", with: "\\/"), with: "rows")
                        .replacingOccurrences(of: "its tables", with: "JSON lines of its tables")
                    // Where in a record a fault is depends on spaces.
                    #expect(Self.withoutPlaces(report) == Self.withoutPlaces(file.report))
                    #expect(!report.contains("mail.example") && !tables.players.contains("mail.example"))
                    guard style.isEmpty else { continue }
                    #expect(report.contains(read), "\(report)")
                    for incident in incidents { #expect(report.contains(incident), "\(incident) in \(report)") }
                }
            }
        }
    }

    @Test("Nakama's tables become the same records and the same report as the lines of a file")
    func nakama() async throws {
        try await compare(
            NakamaUser.self, read: "14 read = 10 imported + 0 skipped + 4 rejected",
            incidents: [
                "reduced, extraTooLarge", "reduced, roundedNumber", "rejected, tooLong", "rejected, badID",
                "rejected, tooMany", "rejected, badJSON", "bans: all 2", "email 1",
            ])
    }

    @Test("Supabase's tables become the same records and the same report as the lines of a file")
    func supabase() async throws {
        try await compare(
            SupabaseUser.self, read: "12 read = 10 imported + 1 skipped + 1 rejected",
            incidents: ["skipped, deleted", "rejected, badID", "bans: all 2", "google.com 3"])
    }

    @Test("Supabase's tables take what an export makes for them, and give the same players back")
    func exported() async throws {
        let sql = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("GatehouseImportTests/Fixtures/exported/supabase-sql/members-001.sql")
        try await SupabaseUser.withTables(filled: false) { url, database in
            try await withFolder { folder in
                let done = try await Command.run(
                    ["--no-psqlrc", "--quiet", "--set", "ON_ERROR_STOP=1", "--file", sql.path, url], in: folder,
                    executable: "/usr/bin/psql")
                #expect(done.status == 0 && done.lines.isEmpty, "\(done.text)")
                let subjects = try await database.rows("SELECT provider_id FROM auth.identities ORDER BY 1") {
                    try $0[0] as String
                }
                #expect(subjects.count == 4)
                #expect(subjects.contains(#"O'Hara"); DROP TABLE auth.users; --\ é한👩‍🚀 $1 :x"#))
                let back = try await convert(["--kind", "supabase", "--from-database", url], to: "back", in: folder)
                #expect(back.report.contains("4 read = 4 imported + 0 skipped + 0 rejected"), "\(back.report)")
                for part in [
                    #""provider":"google.com","subject":"113456789012345678901""#, #""status":"guest""#,
                    #""provider":"facebook.com","subject":"10223344556677889""#, #""type":"PERMANENT""#,
                ] { #expect(back.players.contains(part), "\(part) in \(back.players)") }
            }
        }
    }

    @Test("Without --taken the file says the moment of the snapshot, and tables without players are a file without any")
    func empty() async throws {
        try await SupabaseUser.withTables(filled: false) { url, _ in
            try await withFolder { folder in
                let begin = Int64(Date().timeIntervalSince1970 * 1_000)
                let done = try await convert(["--kind", "supabase", "--from-database", url], to: "empty", in: folder)
                #expect(done.status == 0, "\(done.report)")
                #expect(done.report.contains("0 read = 0 imported + 0 skipped + 0 rejected"))
                let taken = try #require(done.players.firstMatch(of: #/"takenDate":([0-9]+)/#)?.1)
                let date = try #require(Int64(taken))
                #expect(abs(date - begin) < 600_000)
                #expect(done.players.contains("{\"end\":true,\"members\":0"))
            }
        }
    }

    @Test("What is no such database, or can't be reached, ends with 1, a code and no line, and a wrong call with 64")
    func refusals() async throws {
        try await withDatabaseURL(.postgresql) { url in
            try await withFolder { folder in
                try Data("sesame-in-a-file\n".utf8).write(to: folder.appendingPathComponent("password"))
                func failed(_ arguments: String..., status: Int32) async throws -> String {
                    let done = try await convert(
                        arguments, to: "failed", in: folder, environment: ["PGPASSWORD": "sesame-of-the-environment"])
                    #expect(done.status == status, "\(arguments): \(done.report)")
                    #expect(done.players.isEmpty)
                    #expect(!done.report.contains("sesame"), "\(done.report)")
                    return done.report
                }
                for kind in ["nakama", "supabase"] {
                    let missing = try await failed("--kind", kind, "--from-database", url, status: 1)
                    #expect(missing.contains("users\"") && missing.contains("(missingTable)"), "\(missing)")
                }
                let closed = "postgres://reader@127.0.0.1:1/nakama"
                for arguments in [[], ["--password-file", "password"]] {
                    let done = try await convert(
                        ["--kind", "nakama", "--from-database", closed] + arguments, to: "failed", in: folder)
                    #expect(done.status == 1 && done.report.contains("(unreachable)"), "\(done.report)")
                    #expect(!done.report.contains("sesame") && done.players.isEmpty)
                }
                let told = try await failed(
                    "--kind", "nakama", "--from-database", "postgres://reader:sesame@127.0.0.1:1/nakama", status: 64)
                #expect(told.contains("PGPASSWORD"))
                _ = try await failed("--kind", "nakama", "--from-database", "nakama", status: 64)
                _ = try await failed("--kind", "firebase", "--from-database", url, status: 64)
                _ = try await failed("--kind", "nakama", "--from-database", url, "rows", status: 64)
                _ = try await failed("--kind", "nakama", status: 64)
                _ = try await failed("--kind", "nakama", "-", "--password-file", "password", status: 64)
                _ = try await failed(
                    "--kind", "nakama", "--from-database", url, "--password-file", "nothing", status: 64)
            }
        }
    }

    @Test(
        "The password comes from the environment or a file, and a wrong one is refused and in no line",
        .enabled(if: PrivatePostgreSQL.isThere))
    func passwords() async throws {
        try await PrivatePostgreSQL.run { postgres in
            let place = try await postgres.addUser("reader", password: "open-sesame")
            try await withOpen(DatabaseLocation(postgres.url)) { database in
                try await database.transact { tx in
                    for statement in NakamaUser.create + ["GRANT SELECT ON users, user_device TO reader"] {
                        try tx.execute(SQL(stringLiteral: statement))
                    }
                    try NakamaUser.samples[0].insert(in: tx)
                }
            }
            try await withFolder { folder in
                for (name, password) in [("right", "open-sesame\n"), ("wrong", "no-sesame\n")] {
                    try Data(password.utf8).write(to: folder.appendingPathComponent(name))
                }
                func convert(_ arguments: String..., variable: String? = nil) async throws -> (Int32, String) {
                    let done = try await self.convert(
                        ["--kind", "nakama", "--from-database", place] + arguments, to: "done", in: folder,
                        environment: variable.map { ["PGPASSWORD": $0] } ?? [:])
                    #expect(!done.report.contains("sesame") && !done.players.contains("sesame"), "\(done.report)")
                    #expect(done.players.contains("\"end\"") == (done.status == 0))
                    return (done.status, done.report)
                }
                #expect(try await convert("--password-file", "right").0 == 0)
                #expect(try await convert(variable: "open-sesame").0 == 0)
                // The file counts, and not the variable.
                let wrong = try await convert("--password-file", "wrong", variable: "open-sesame")
                #expect(wrong.0 == 1 && wrong.1.contains("(accessRefused)"), "\(wrong.1)")
                let none = try await convert()
                #expect(none.0 == 1 && none.1.contains("(needsPassword)"), "\(none.1)")
            }
        }
    }

    @Test("A database that goes away in the middle leaves a file without a closing line, which no import takes")
    func cut() async throws {
        try await SupabaseUser.withTables(filled: false) { url, database in
            try await database.transact { tx in
                try tx.execute(
                    """
                    INSERT INTO auth.users (id, is_anonymous)
                    SELECT CAST(lpad(CAST(n AS TEXT), 32, '0') AS UUID), TRUE FROM generate_series(1, 20000) AS n
                    """)
            }
            try await withFolder { folder in
                #expect(try await Command.createApp("game", in: folder).status == 0)
                let set = try await Command.run(
                    ["import", "source", "set", "supabase", "--kind", "supabase", "--project", "x"], in: folder)
                #expect(set.status == 0, "\(set.text)")
                // The reader takes one byte and then waits for a line, so that the command can't write on.
                let script = """
                    exec 3<&0
                    { "$0" import convert --kind supabase --from-database "$1" < /dev/null 2> report; echo $? > status; } | {
                        dd bs=1 count=1 of=cut.jsonl 2> /dev/null
                        echo begun
                        read -r go <&3
                        cat >> cut.jsonl
                    }
                    """
                let command = try Command(
                    ["-c", script, Command.gatehouse, url], in: folder, executable: "/bin/sh", hasInput: true)
                for await line in command.lines where line == "begun" { break }
                let ended = try await database.transact { tx in
                    try tx.rows(
                        """
                        SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                        WHERE datname = current_database() AND query LIKE 'FETCH FORWARD%'
                        """
                    ) { row in try row[0] as Bool }
                }
                #expect(ended == [true])
                command.write("go")
                _ = await command.status()
                func text(_ file: String) throws -> String {
                    String(decoding: try Data(contentsOf: folder.appendingPathComponent(file)), as: UTF8.self)
                }
                #expect(try text("status") == "1\n")
                #expect(try text("report").contains("(connectionLost)"))
                let players = try text("cut.jsonl")
                #expect(players.hasPrefix("{\"format\":\"gatehouse.members/1\"") && players.contains("\"legacyId\""))
                #expect(!players.contains("\"end\""))
                let refused = try await Command.run(
                    ["import", "members", "--source", "supabase", "cut.jsonl", "--yes"], in: folder)
                #expect(refused.status == 1 && refused.text.contains("it was cut"), "\(refused.text)")
            }
        }
    }
}

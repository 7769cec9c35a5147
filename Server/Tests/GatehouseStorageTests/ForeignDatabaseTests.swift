import GatehouseStorage
import TestDatabases
import Testing

/// Another program's database is read in one snapshot, row by row, and every failure has its code.
@Suite(.enabled(if: Engine.available.contains(.postgresql))) struct ForeignDatabaseTests {
    private func withItems(
        _ count: Int = 2_500, _ test: (ForeignDatabase, Database) async throws -> Void
    ) async throws {
        try await withDatabaseURL(.postgresql) { url in
            try await withOpen(DatabaseLocation(url)) { database in
                try await database.transact { tx in
                    try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, word TEXT NOT NULL)")
                    try tx.execute("INSERT INTO items SELECT n, 'word ' || n FROM generate_series(1, \(count)) AS n")
                }
                try await test(ForeignDatabase(url), database)
            }
        }
    }

    private static let words = "SELECT word FROM items ORDER BY id"

    private func rest(of rows: ForeignRows) throws -> [String] {
        var texts: [String] = []
        while let row = try rows.next() { texts.append(String(decoding: row, as: UTF8.self)) }
        return texts
    }

    private func code(_ body: () throws -> Void) -> ForeignDatabaseFailure.Code? {
        #expect(throws: ForeignDatabaseFailure.self, performing: body)?.code
    }

    @Test(
        "Every row comes, in its order, over several pages of the cursor", arguments: [0, 1, 999, 1_000, 1_001, 2_500])
    func pages(count: Int) async throws {
        try await withItems(count) { foreign, _ in
            let rows = try foreign.rows(of: Self.words, password: nil)
            #expect(try rest(of: rows) == (0..<count).map { "word \($0 + 1)" })
            // The end stays the end.
            #expect(try rows.next() == nil)
        }
    }

    @Test("A row of megabytes comes as a whole")
    func longRow() async throws {
        try await withItems(1) { foreign, _ in
            let rows = try foreign.rows(of: "SELECT repeat('가', 3000000) FROM items", password: nil)
            let row = try #require(try rows.next())
            #expect(row.count == 9_000_000 && row.starts(with: "가".utf8))
            #expect(try rows.next() == nil)
        }
    }

    @Test("What is written after the first look does not appear: neither rows of later pages nor deletions and changes")
    func snapshot() async throws {
        try await withItems { foreign, database in
            let rows = try foreign.rows(of: Self.words, password: nil)
            func write() async throws {
                try await database.transact { tx in
                    try tx.execute("DELETE FROM items WHERE id > 2000")
                    try tx.execute("UPDATE items SET word = 'changed' WHERE id > 1")
                    try tx.execute("INSERT INTO items VALUES (9000, 'new')")
                }
            }
            try await write()
            #expect(try rest(of: rows) == (1...2_500).map { "word \($0)" })
            let now = try foreign.rows(of: Self.words, password: nil)
            #expect(try rest(of: now) == ["word 1"] + Array(repeating: "changed", count: 1_999) + ["new"])
            #expect(now.date >= rows.date && rows.date > 1_700_000_000_000)
        }
    }

    @Test("A SELECT that would write is refused, and nothing is written")
    func readOnly() async throws {
        try await withItems(1) { foreign, database in
            try await database.transact { tx in
                try tx.execute(
                    """
                    CREATE FUNCTION write() RETURNS TEXT LANGUAGE plpgsql AS $$ BEGIN
                        DELETE FROM items;
                        RETURN 'written';
                    END $$
                    """)
            }
            #expect(
                code {
                    let rows = try foreign.rows(of: "SELECT write() FROM items", password: nil)
                    _ = try rows.next()
                } == .failed)
            let rows = try foreign.rows(of: Self.words, password: nil)
            #expect(try rest(of: rows) == ["word 1"])
        }
    }

    @Test(
        "A table, a schema or a column that is missing has its code, and the message names it",
        arguments: [
            ("SELECT x FROM users", ForeignDatabaseFailure.Code.missingTable, "users"),
            ("SELECT x FROM auth.users", .missingTable, "auth.users"),
            ("SELECT nickname FROM items", .otherColumns, "nickname"),
            ("SELECT word->>'x' FROM items", .otherColumns, "->>"),
            ("SELECT 1 / (id - 1) || word FROM items", .failed, "22012"),
        ])
    func otherTables(select: String, code: ForeignDatabaseFailure.Code, name: String) async throws {
        try await withItems(1) { foreign, _ in
            let failure = #expect(throws: ForeignDatabaseFailure.self) {
                _ = try foreign.rows(of: select, password: nil).next()
            }
            #expect(failure?.code == code)
            #expect(failure?.message.contains(name) == true, "\(failure?.message ?? "")")
        }
    }

    @Test("A connection that ends in the middle is an error at once and ever after, and never an end")
    func lost() async throws {
        try await withItems { foreign, database in
            let rows = try foreign.rows(of: Self.words, password: nil)
            #expect(try rows.next() == Array("word 1".utf8))
            let ended = try await database.transact { tx in
                try tx.rows(
                    """
                    SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                    WHERE datname = current_database() AND query LIKE 'FETCH FORWARD%'
                    """
                ) { row in try row[0] as Bool }
            }
            #expect(ended == [true])
            #expect(code { _ = try rest(of: rows) } == .connectionLost)
            #expect(code { _ = try rows.next() } == .connectionLost)
        }
    }

    @Test("A port where nothing listens is unreachable, and the message says which")
    func refusedConnection() throws {
        let foreign = try ForeignDatabase("postgres://reader@127.0.0.1:1/nakama")
        let failure = #expect(throws: ForeignDatabaseFailure.self) {
            try foreign.rows(of: Self.words, password: "sesame")
        }
        #expect(failure?.code == .unreachable)
        #expect(failure?.message.contains("port 1 ") == true && failure?.message.contains("sesame") == false)
    }

    @Test("An address has no password and a host, and its description neither user nor password")
    func addresses() throws {
        #expect(
            "\(try ForeignDatabase("postgres://reader@db.example:5433/nakama?sslmode=require"))"
                == "postgres://db.example:5433/nakama")
        for text in [
            "postgres://reader:sesame@db.example/nakama", "postgres://db.example/nakama?user=reader&password=sesame",
            "postgresql://db.example/nakama?sslpassword=sesame",
        ] {
            #expect(throws: ForeignDatabase.Invalid.hasPassword) { try ForeignDatabase(text) }
        }
        for text in [
            "", "nakama", "sqlite:nakama.db", "http://db.example/nakama", "postgres:///nakama", "postgres://",
            "postgres://reader@db.example:port/nakama", "postgres://reader:ses/ame@db.example/nakama",
            "postgres://db.example/nakama?sesame=1", "postgres://%zz@db.example/nakama",
            "host=db.example dbname=nakama",
            "postgres://db.example/\u{0}",
        ] {
            let invalid = #expect(throws: ForeignDatabase.Invalid.self, "\(text)") { try ForeignDatabase(text) }
            #expect(invalid == .malformed, "\(text)")
        }
        for invalid in [ForeignDatabase.Invalid.malformed, .hasPassword] { #expect(!"\(invalid)".contains("sesame")) }
    }
}

/// Passwords and rights, on a server of its own, because roles and the rules of who gets in are the whole server's.
@Suite(.enabled(if: PrivatePostgreSQL.isThere)) struct ForeignDatabaseAccessTests {
    private static let select = "SELECT word FROM items ORDER BY id"

    private func withReader(_ test: (_ place: String) async throws -> Void) async throws {
        try await PrivatePostgreSQL.run { postgres in
            let place = try await postgres.addUser("reader", password: "sesame")
            try await withOpen(DatabaseLocation(postgres.url)) { database in
                try await database.transact { tx in
                    for statement in [
                        "CREATE TABLE items (id BIGINT, word TEXT)", "INSERT INTO items VALUES (1, 'one'), (2, 'two')",
                        "GRANT SELECT ON items TO reader", "CREATE TABLE secrets (word TEXT)",
                        "CREATE TABLE hidden (id BIGINT, word TEXT)",
                        "INSERT INTO hidden VALUES (1, 'one'), (2, 'two')",
                        "GRANT SELECT ON hidden TO reader", "ALTER TABLE hidden ENABLE ROW LEVEL SECURITY",
                        "CREATE POLICY the_first ON hidden FOR SELECT TO reader USING (id = 1)",
                    ] {
                        try tx.execute(SQL(stringLiteral: statement))
                    }
                }
            }
            try await test(place)
        }
    }

    @Test("The password is that which was given. A wrong one, none, and a database that is not there have their codes")
    func passwords() async throws {
        try await withReader { place in
            let foreign = try ForeignDatabase(place)
            let rows = try foreign.rows(of: Self.select, password: "sesame")
            #expect(try rows.next() == Array("one".utf8))
            #expect(try rows.next() == Array("two".utf8))
            #expect(try rows.next() == nil)
            for (password, code) in [
                ("wrong-password", ForeignDatabaseFailure.Code.accessRefused), ("", .needsPassword),
                (nil, .needsPassword),
            ] {
                let failure = #expect(throws: ForeignDatabaseFailure.self) {
                    try foreign.rows(of: Self.select, password: password)
                }
                #expect(failure?.code == code, "\(password ?? "none")")
                #expect(failure?.message.contains("wrong-password") == false)
            }
            let other = try ForeignDatabase(place + "x")
            let failure = #expect(throws: ForeignDatabaseFailure.self) {
                try other.rows(of: Self.select, password: "sesame")
            }
            #expect(failure?.code == .accessRefused && failure?.message.contains("sesame") == false)
        }
    }

    @Test("A table that may not be read, and one of which a policy hides rows, are refused and never read in part")
    func rights() async throws {
        try await withReader { place in
            for table in ["secrets", "hidden"] {
                let failure = #expect(throws: ForeignDatabaseFailure.self, "\(table)") {
                    try ForeignDatabase(place).rows(of: "SELECT word FROM \(table)", password: "sesame").next()
                }
                #expect(failure?.code == .noRight, "\(table)")
            }
        }
    }
}

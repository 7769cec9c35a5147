import GatehouseStorage
import TestDatabases
import Testing

@Suite struct SQLTests {
    @Test("Every kind of value comes back as it went in", arguments: Engine.available)
    func roundTrip(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            let texts = [
                "", "a", "'; DROP TABLE kinds; --", "日本語", "😀\u{200d}👩", String(repeating: "x", count: 100_000),
                "\u{feff}", "e\u{301}",
            ]
            let numbers: [Int64] = [0, 1, -1, .min, .max]
            let bytes: [[UInt8]] = [[], [0], [0xff, 0, 0x5c], [UInt8](repeating: 0xab, count: 70_000)]
            try await database.transact { tx in
                try tx.execute("CREATE TABLE kinds (id BIGINT PRIMARY KEY, t TEXT, n BIGINT, b \(.bytes))")
                for (id, text) in texts.enumerated() {
                    try tx.execute("INSERT INTO kinds (id, t) VALUES (\(id), \(text))")
                }
                for (id, number) in numbers.enumerated() {
                    try tx.execute("INSERT INTO kinds (id, n) VALUES (\(100 + id), \(number))")
                }
                for (id, bytes) in bytes.enumerated() {
                    try tx.execute("INSERT INTO kinds (id, b) VALUES (\(200 + id), \(bytes))")
                }
                try tx.execute(
                    "INSERT INTO kinds (id, t, n, b) VALUES (300, \(String?.none), \(Int64?.none), \([UInt8]?.none))")
            }
            let foundTexts = try await database.read { tx in
                try tx.rows("SELECT t FROM kinds WHERE id < 100 ORDER BY id") { row in try row[0] as String }
            }
            let foundNumbers = try await database.read { tx in
                try tx.rows("SELECT n FROM kinds WHERE id >= 100 AND id < 200 ORDER BY id") { row in try row[0] as Int64
                }
            }
            let foundBytes = try await database.read { tx in
                try tx.rows("SELECT b FROM kinds WHERE id >= 200 AND id < 300 ORDER BY id") { row in
                    try row[0] as [UInt8]
                }
            }
            let nulls = try await database.read { tx in
                try tx.first("SELECT t, n, b FROM kinds WHERE id = 300") { row in
                    (try row[0] as String?, try row[1] as Int64?, try row[2] as [UInt8]?)
                }
            }
            #expect(foundTexts == texts)
            #expect(foundNumbers == numbers)
            #expect(foundBytes == bytes)
            #expect(nulls?.0 == nil && nulls?.1 == nil && nulls?.2 == nil)
        }
    }

    @Test("Parameters are numbered as they stand, past ten and through fragments", arguments: Engine.available)
    func numbering(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            let values = Array(1...15)
            let filter: SQL = "n >= \(3) AND n <= \(13)"
            let found = try await database.transact { tx in
                try tx.execute("CREATE TABLE numbers (n BIGINT PRIMARY KEY)")
                try tx.execute(
                    """
                    INSERT INTO numbers VALUES (\(values[0])), (\(values[1])), (\(values[2])), (\(values[3])), (\(values[4])),
                    (\(values[5])), (\(values[6])), (\(values[7])), (\(values[8])), (\(values[9])), (\(values[10])),
                    (\(values[11])), (\(values[12])), (\(values[13])), (\(values[14]))
                    """)
                return try tx.rows("SELECT n FROM numbers WHERE n <> \(7) AND \(filter) AND n <> \(11) ORDER BY n") {
                    row in
                    try row[0] as Int
                }
            }
            #expect(found == [3, 4, 5, 6, 8, 9, 10, 12, 13])
        }
    }

    @Test("INP-3: a text with NUL is refused alike, and its transaction with it", arguments: Engine.available)
    func nulInText(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.transact { tx in try tx.execute("CREATE TABLE texts (t TEXT)") }
            await #expect(throws: StorageError.nulInText) {
                try await database.transact { tx in
                    try tx.execute("INSERT INTO texts VALUES (\("before"))")
                    try tx.execute("INSERT INTO texts VALUES (\("nul \u{0} inside"))")
                }
            }
            #expect(try await database.read { tx in try tx.rows("SELECT t FROM texts") { _ in 1 } }.isEmpty)
        }
    }

    @Test("A column of another kind is an error and not a guess", arguments: Engine.available)
    func wrongKind(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            try await database.transact { tx in
                try tx.execute("CREATE TABLE kinds (t TEXT, n BIGINT)")
                try tx.execute("INSERT INTO kinds VALUES (\("text"), \(1))")
            }
            await #expect(throws: StorageError.unexpectedValue(expected: "integer", found: "text")) {
                try await database.read { tx in try tx.first("SELECT t FROM kinds") { row in try row[0] as Int } }
            }
            await #expect(throws: StorageError.unexpectedValue(expected: "column 5", found: "none")) {
                try await database.read { tx in try tx.first("SELECT n FROM kinds") { row in try row[5] as Int } }
            }
        }
    }

    @Test("An insert that meets a row does nothing and says so", arguments: Engine.available)
    func onConflict(engine: Engine) async throws {
        try await withDatabase(engine) { database, _ in
            let counts = try await database.transact { tx in
                try tx.execute("CREATE TABLE once (k TEXT PRIMARY KEY, n BIGINT NOT NULL)")
                return try (0..<2).map { n in
                    try tx.execute("INSERT INTO once VALUES (\("key"), \(n)) ON CONFLICT (k) DO NOTHING")
                }
            }
            #expect(counts == [1, 0])
            let changed = try await database.transact { tx in
                [
                    try tx.execute("UPDATE once SET n = \(5) WHERE k = \("key") AND n = \(0)"),
                    try tx.execute("UPDATE once SET n = \(6) WHERE k = \("key") AND n = \(0)"),
                    try tx.execute("DELETE FROM once"),
                ]
            }
            #expect(changed == [1, 0, 1])
        }
    }
}

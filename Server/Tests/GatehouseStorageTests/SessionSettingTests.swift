import TestDatabases
import Testing

@testable import GatehouseStorage

/// What a server, a database or a role of PostgreSQL has set otherwise changes nothing that is stored or read.
@Suite(.enabled(if: Engine.available.contains(.postgresql))) struct SessionSettingTests {
    /// A session begins with these, as it would with those of its role.
    private static let others = [
        "bytea_output=escape", "client_encoding=LATIN1", "DateStyle=SQL,DMY", "TimeZone=Asia/Seoul",
        "extra_float_digits=-15", "quote_all_identifiers=on", "standard_conforming_strings=off",
        "transform_null_equals=on", "default_transaction_isolation=serializable", "lock_timeout=600000",
        "idle_session_timeout=600000",
    ]

    private func withOtherSettings(_ test: (_ url: String) async throws -> Void) async throws {
        let options = Self.others.map { "-c%20\($0.replacing("=", with: "%3D"))" }.joined(separator: "%20")
        try await withDatabaseURL(.postgresql) { url in try await test("\(url)?options=\(options)") }
    }

    @Test("Every kind of connection sets what the server relies on")
    func everySession() async throws {
        let expected = [
            "bytea_output": "hex", "client_encoding": "UTF8", "DateStyle": "ISO, YMD", "TimeZone": "UTC",
            "extra_float_digits": "1", "quote_all_identifiers": "off", "standard_conforming_strings": "on",
            "transform_null_equals": "off", "row_security": "off", "default_transaction_isolation": "read committed",
            "idle_session_timeout": "0",
        ]
        let purposes: [(PostgreSQLConnection.Purpose, lockMilliseconds: String)] = [
            (.calls(patienceSeconds: 5), "10000"), (.reports(limitSeconds: 10), "0"), (.copies, "0"),
            (.maintenance(patienceSeconds: 15), "15000"),
        ]
        try await withOtherSettings { url in
            for (purpose, lockMilliseconds) in purposes {
                var found: [String: String] = [:]
                let connection = try PostgreSQLConnection(url: url, for: purpose)
                _ = try connection.run("SELECT name, setting FROM pg_settings", []) { row in
                    let name: String = try row[0]
                    found[name] = try row[1] as String
                    return true
                }
                for (name, value) in expected { #expect(found[name] == value, "\(purpose) \(name)") }
                #expect(found["lock_timeout"] == lockMilliseconds, "\(purpose)")
                // PostgreSQL has it since version 17.
                #expect(found["transaction_timeout"] ?? "0" == "0", "\(purpose)")
            }
        }
    }

    @Test("Bytes come back as they were stored, by every verb, and every migration runs")
    func bytes() async throws {
        let all = (0...255).map { UInt8($0) }
        try await withOtherSettings { url in
            try await withOpen(DatabaseLocation(url)) { database in
                try await database.migrate(Migration.all)
                try await database.transact { tx in
                    try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY, content BYTEA NOT NULL, word TEXT)")
                }
                try await database.decide { draft in
                    try draft.insert(into: "items", ["id": 1, "content": all, "word": "가\\'é"])
                }
                try await database.transact { tx in
                    try tx.execute("INSERT INTO items VALUES (2, \([] as [UInt8]), NULL)")
                }
                let statement: SQL = "SELECT content FROM items ORDER BY id"
                let expected = [all, []]
                let merged = try await database.rows(statement) { row in try row[0] as [UInt8] }
                let read = try await database.read { tx in try tx.rows(statement) { row in try row[0] as [UInt8] } }
                let report = try await database.report { tx in try tx.rows(statement) { row in try row[0] as [UInt8] } }
                let written = try await database.transact { tx in
                    try tx.rows(statement) { row in try row[0] as [UInt8] }
                }
                #expect(merged == expected && read == expected && report == expected && written == expected)
                let words = try await database.rows("SELECT word FROM items WHERE id = 1") { row in
                    try row[0] as String
                }
                #expect(words == ["가\\'é"])
            }
        }
    }

    @Test("Bytes in another form are an error, and never other bytes")
    func otherForm() async throws {
        try await withLocation(.postgresql) { location in
            try await withOpen(location) { database in
                _ = await #expect {
                    _ = try await database.transact { tx in
                        _ = try tx.first("SELECT set_config('bytea_output', 'escape', true)") { _ in true }
                        return try tx.first("SELECT decode('00ff', 'hex')") { row in try row[0] as [UInt8] }
                    }
                } throws: { error in
                    if case .unexpectedValue? = error as? StorageError { true } else { false }
                }
            }
        }
    }

    @Test(
        "The bytes of a text are those of its hexadecimal digits",
        arguments: [
            ("\\x", []), ("\\x00ff7a", [0, 0xff, 0x7a]), ("", nil), ("\\", nil), ("\\x0", nil), ("\\x0g", nil),
            ("00ff", nil), ("\\000\\377", nil), ("\\X00", nil), ("abcd", nil), ("\\xFF", nil),
        ] as [(String, [UInt8]?)])
    func digits(text: String, bytes: [UInt8]?) {
        #expect(Array(text.utf8).withUnsafeBytes { PostgreSQLResult.bytes(inHex: $0) } == bytes)
    }

    @Test("A database with another encoding than UTF8 is not opened, and the reason says what to do")
    func encoding() async throws {
        try await withDatabaseURL(.postgresql) { url in
            try await withOpen(DatabaseLocation(url)) { database in
                func run(_ command: String) async throws {
                    try await database.maintain { connection in
                        try connection.change(command)
                        try connection.receive()
                    }
                }
                let slash = try #require(url.lastIndex(of: "/"))
                for encoding in ["SQL_ASCII", "LATIN1"] {
                    let name = "\(url[url.index(after: slash)...])_\(encoding.lowercased())"
                    try await run("CREATE DATABASE \(name) ENCODING '\(encoding)' LOCALE 'C' TEMPLATE template0")
                    let failure = await #expect(throws: StorageError.self) {
                        try await withOpen(DatabaseLocation("\(url[...slash])\(name)")) { _ in }
                    }
                    try await run("DROP DATABASE \(name) WITH (FORCE)")
                    let text = failure.map { "\($0)" } ?? ""
                    #expect(text.contains(" \(encoding),") && text.contains("ENCODING 'UTF8'"), "\(text)")
                }
            }
        }
    }
}

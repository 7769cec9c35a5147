import TestDatabases
import Testing

@testable import GatehouseStorage

/// REL-4: `database` may name a primary and its standbys.
@Suite struct AddressTests {
    @Test(
        "A URL of several addresses is printed with all of them, without user and password",
        arguments: [
            ("postgres://u:secret@a,b/game", "postgres://a,b/game"),
            ("postgres://u:secret@a:1,b:2/game", "postgres://a:1,b:2/game"),
            ("postgres://u:secret@/game?host=a,b&port=1,2&target_session_attrs=read-write", "postgres://a:1,b:2/game"),
            ("postgresql://u@/game?host=a,b&port=5433", "postgres://a:5433,b:5433/game"),
            ("postgres://u@[::1]:1,b:2/game", "postgres://[::1]:1,b:2/game"),
            ("postgres://u@/game?host=a,b&port=1", "postgres://a:1,b:1/game"),
        ])
    func printed(url: String, text: String) throws {
        #expect(try "\(DatabaseLocation(url))" == text)
    }

    @Test("The names of files of several addresses fit a file system")
    func fileName() throws {
        #expect(try DatabaseLocation("postgres://u:secret@a:1,b:2/game").fileName == "a-1-b-2-game")
        #expect(
            try DatabaseLocation("postgres://u:secret@db.example.com:5433/game").fileName == "db.example.com-5433-game")
    }

    @Test(
        "Of several addresses only one that takes writes is used, unless the URL says otherwise",
        arguments: [
            ("postgres://u@a:1,b:2/game", "read-write"), ("postgres:///game?host=a,b", "read-write"),
            ("postgres://u@a,b/game?target_session_attrs=any", nil),
            ("postgres://u@a,b/game?target_session_attrs=primary", nil), ("postgres://u@a/game", nil),
        ] as [(String, String?)])
    func target(url: String, target: String?) {
        let settings = PostgreSQLConnection.settings(url: url, environment: [:])
        #expect(settings.first { $0.name == "target_session_attrs" }?.value == target)
        #expect(PostgreSQLAddresses.standardTarget(for: url, environment: ["PGTARGETSESSIONATTRS": "any"]) == nil)
    }

    @Test(
        "REL-4: where the first address does not answer, the second serves",
        .enabled(if: Engine.available.contains(.postgresql)), arguments: [true, false])
    func secondAddress(isQuery: Bool) async throws {
        let dead = try LoopbackListener.freePort()
        try await withDatabaseURL(.postgresql) { url in
            let live = try #require(url.firstMatch(of: #/@127\.0\.0\.1:([0-9]+)\/(.+)/#)?.output)
            let place =
                isQuery
                ? "postgres://gatehouse@/\(live.2)?host=127.0.0.1,127.0.0.1&port=\(dead),\(live.1)&target_session_attrs=read-write"
                : "postgres://gatehouse@127.0.0.1:\(dead),127.0.0.1:\(live.1)/\(live.2)"
            try await withOpen(DatabaseLocation(place)) { database in
                try await database.transact { tx in try tx.execute("CREATE TABLE items (id BIGINT PRIMARY KEY)") }
                try await database.ping()
            }
        }
    }

    @Test("Where no address answers, the error names each")
    func noAddress() async throws {
        let ports = [try LoopbackListener.freePort(), try LoopbackListener.freePort()]
        let location = try DatabaseLocation("postgres://nobody@127.0.0.1:\(ports[0]),127.0.0.1:\(ports[1])/none")
        await #expect {
            _ = try await Database.open(location)
        } throws: { error in
            "\(error)".contains("\(ports[0])") && "\(error)".contains("\(ports[1])")
        }
    }
}

import TestDatabases
import Testing

@testable import GatehouseStorage

@Suite struct TransportSecurityTests {
    @Test(
        "NET-3: PostgreSQL on another machine is spoken to with TLS unless the URL says otherwise",
        arguments: [
            ("postgres://a:b@db.example.com/game", "require"), ("postgres://a@10.0.0.2:5433/game", "require"),
            ("postgres:///game?host=db.example.com", "require"),
            ("postgres://a@localhost,db.example.com/game", "require"),
            // The connection goes to the address, whatever the name.
            ("postgres://a@localhost/game?hostaddr=192.0.2.1", "require"),
            ("postgres://a@127.0.0.1/game", nil), ("postgres://a@localhost/game", nil),
            ("postgres://a@[::1]/game", nil),
            ("postgres://%2Fvar%2Frun%2Fpostgresql/game", nil), ("postgres:///game?host=/tmp", nil),
            ("postgres://a@db.example.com/game?sslmode=verify-full", nil),
            ("postgres://a@db.example.com/game?sslmode=disable", nil),
        ] as [(String, String?)])
    func standardMode(url: String, mode: String?) {
        #expect(TransportSecurity.standardMode(for: url, environment: [:]) == mode)
        let settings = PostgreSQLConnection.settings(url: url, environment: [:])
        #expect(settings.first { $0.name == "sslmode" }?.value == mode)
    }

    @Test("NET-3: what the environment of libpq says of TLS counts", arguments: ["PGSSLMODE", "PGSERVICE"])
    func environment(variable: String) {
        let url = "postgres://a@db.example.com/game"
        #expect(TransportSecurity.standardMode(for: url, environment: [variable: "verify-full"]) == nil)
    }
}

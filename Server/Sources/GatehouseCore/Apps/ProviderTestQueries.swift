import GatehouseJSON
import GatehouseStorage
import GatehouseWire

/// Table `provider_tests`, which has the last test of each provider.
enum ProviderTestQueries {
    static func set(_ test: ProviderTestRecord, of provider: Provider, app: AppID, in tx: Transaction) throws {
        let findings = try JSONText.write(test.findings)
        try tx.execute(
            """
            INSERT INTO provider_tests (app_id, idp, findings, version, person, tested_at)
            VALUES (
                \(app), \(provider), \(findings), \(test.version), \(test.person), \(test.date))
            ON CONFLICT (app_id, idp) DO UPDATE SET
                findings = excluded.findings, version = excluded.version, person = excluded.person,
                tested_at = excluded.tested_at
            """)
    }

    static func tests(of app: AppID, in tx: Reader) throws -> [Provider: ProviderTestRecord] {
        let rows = try tx.rows(
            "SELECT idp, findings, version, person, tested_at FROM provider_tests WHERE app_id = \(app)"
        ) { row -> (Provider, ProviderTestRecord) in
            let findings: String = try row[1]
            return (
                try row[0],
                ProviderTestRecord(
                    findings: try JSONText.read(findings), version: try row[2], person: try row[3], date: try row[4])
            )
        }
        return Dictionary(rows) { _, last in last }
    }
}

import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `client_rules`. The order of an app's rules is that of their positions.
enum ClientRuleQueries {
    static func rules(of app: AppID, in tx: Reader) throws -> [ClientRule] {
        try tx.rows(
            """
            SELECT rule_id, os_code, store_code, version_from, version_below, status, update_url, message
            FROM client_rules WHERE app_id = \(app) ORDER BY position, rule_id
            """
        ) { row in
            var columns = row.columns
            return ClientRule(
                id: try columns.next(), osCode: try columns.next(), storeCode: try columns.next(),
                from: try columns.next(), below: try columns.next(), status: try columns.next(),
                updateURL: try columns.next(), message: try JSONText.read(try columns.next()))
        }
    }

    /// Inserts a rule, or replaces the one with its id.
    static func set(_ rule: ClientRule, at position: Int, app: AppID, in tx: Transaction) throws {
        let message = try JSONText.write(rule.message)
        try tx.execute(
            """
            INSERT INTO client_rules (
                app_id, rule_id, position, os_code, store_code, version_from, version_below, status, update_url, message)
            VALUES (
                \(app), \(rule.id), \(position), \(rule.osCode), \(rule.storeCode), \(rule.from), \(rule.below),
                \(rule.status), \(rule.updateURL), \(message))
            ON CONFLICT (app_id, rule_id) DO UPDATE SET
                position = excluded.position, os_code = excluded.os_code, store_code = excluded.store_code,
                version_from = excluded.version_from, version_below = excluded.version_below,
                status = excluded.status, update_url = excluded.update_url, message = excluded.message
            """)
    }

    /// False if there is no such rule.
    static func delete(_ id: String, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute("DELETE FROM client_rules WHERE app_id = \(app) AND rule_id = \(id)") == 1
    }
}

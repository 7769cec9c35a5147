import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Tables `apps` and `test_devices`.
enum AppQueries {
    private static let columns: SQL = """
        app_id, name, status, status_message, maintenance_begin, maintenance_end, maintenance_message, maintenance_url,
        default_language, new_guests_per_minute, refused_proofs_per_minute, created_at, account_policy, kicked_out_at,
        kick_out_message, changes_per_minute, live_sessions, wrong_transfers_per_hour, maintenance_reason
        """

    package static func app(_ id: AppID, in tx: Reader) throws -> App? {
        guard var app = try tx.first("SELECT \(columns) FROM apps WHERE app_id = \(id)", app) else { return nil }
        app.providers = try IdentityProviderQueries.providers(of: id, in: tx)
        app.clientRules = try ClientRuleQueries.rules(of: id, in: tx)
        return app
    }

    static func apps(in tx: Reader) throws -> [App] {
        try tx.rows("SELECT \(columns) FROM apps ORDER BY app_id", app)
    }

    /// False when the id already exists.
    static func insert(_ app: App, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            INSERT INTO apps (\(columns)) VALUES (
                \(app.id), \(app.name), \(app.status), \(try JSONText.write(app.statusMessage)),
                \(app.maintenance?.begin.milliseconds), \(app.maintenance?.end.milliseconds),
                \(try app.maintenance.map { try JSONText.write($0.message) }), \(app.maintenance?.url), \(app.defaultLanguage),
                \(app.limits.newGuestsPerMinute), \(app.limits.refusedProofsPerMinute), \(app.createdAt),
                \(try JSONText.write(app.policy)), \(app.kickOut?.at), \(try app.kickOut.map { try JSONText.write($0.message) }),
                \(app.limits.changesPerMinute), \(app.limits.liveSessions), \(app.limits.wrongTransfersPerHour),
                \(app.maintenance?.reason))
            ON CONFLICT (app_id) DO NOTHING
            """) == 1
    }

    /// Locks the app's row, so that changes of one app are serialised. False if there is no such app.
    static func lock(_ id: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute("UPDATE apps SET app_id = app_id WHERE app_id = \(id)") == 1
    }

    static func update(_ app: App, in tx: Transaction) throws {
        try tx.execute(
            """
            UPDATE apps SET name = \(app.name), status = \(app.status), status_message = \(try JSONText.write(app.statusMessage)),
                maintenance_begin = \(app.maintenance?.begin.milliseconds),
                maintenance_end = \(app.maintenance?.end.milliseconds),
                maintenance_message = \(try app.maintenance.map { try JSONText.write($0.message) }),
                maintenance_url = \(app.maintenance?.url), maintenance_reason = \(app.maintenance?.reason),
                default_language = \(app.defaultLanguage),
                new_guests_per_minute = \(app.limits.newGuestsPerMinute),
                refused_proofs_per_minute = \(app.limits.refusedProofsPerMinute),
                changes_per_minute = \(app.limits.changesPerMinute), live_sessions = \(app.limits.liveSessions),
                wrong_transfers_per_hour = \(app.limits.wrongTransfersPerHour),
                account_policy = \(try JSONText.write(app.policy)), kicked_out_at = \(app.kickOut?.at),
                kick_out_message = \(try app.kickOut.map { try JSONText.write($0.message) })
            WHERE app_id = \(app.id)
            """)
    }

    static func isTestDevice(_ key: KeyThumbprint, app: AppID, in tx: Reader) throws -> Bool {
        try tx.first("SELECT 1 FROM test_devices WHERE app_id = \(app) AND key_thumbprint = \(key)") { _ in true }
            != nil
    }

    static func testDevices(of app: AppID, in tx: Reader) throws -> [TestDevice] {
        try tx.rows(
            """
            SELECT key_thumbprint, note, created_at FROM test_devices WHERE app_id = \(app)
            ORDER BY created_at, key_thumbprint
            """
        ) { row in TestDevice(key: try row[0], note: try row[1], addedAt: try row[2]) }
    }

    static func insertTestDevice(
        _ key: KeyThumbprint, note: String, app: AppID, at moment: Moment, in tx: Transaction
    ) throws {
        try tx.execute(
            """
            INSERT INTO test_devices (app_id, key_thumbprint, note, created_at)
            VALUES (\(app), \(key), \(note), \(moment.milliseconds))
            ON CONFLICT (app_id, key_thumbprint) DO UPDATE SET note = excluded.note
            """)
    }

    static func deleteTestDevice(_ key: KeyThumbprint, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute("DELETE FROM test_devices WHERE app_id = \(app) AND key_thumbprint = \(key)") == 1
    }

    private static func text(_ json: String?) throws -> LocalizedText {
        try json.map { try JSONText.read($0) } ?? LocalizedText()
    }

    private static func app(_ row: Row) throws -> App {
        let begin: Int64? = try row[4]
        let end: Int64? = try row[5]
        var maintenance: App.MaintenanceWindow?
        if let begin, let end {
            maintenance = .init(
                begin: Moment(milliseconds: begin), end: Moment(milliseconds: end), message: try text(try row[6]),
                url: try row[7], reason: try row[18])
        }
        let policy: String = try row[12]
        let kickedOutAt: Moment? = try row[13]
        var limits = AppLimits()
        limits.newGuestsPerMinute = try row[9]
        limits.refusedProofsPerMinute = try row[10]
        limits.changesPerMinute = try row[15]
        limits.liveSessions = try row[16]
        limits.wrongTransfersPerHour = try row[17]
        return App(
            id: try row[0], name: try row[1], status: try row[2], statusMessage: try text(try row[3]),
            maintenance: maintenance, defaultLanguage: try row[8],
            limits: limits,
            policy: try JSONText.read(policy),
            kickOut: try kickedOutAt.map { .init(at: $0, message: try text(try row[14])) }, createdAt: try row[11])
    }
}

/// A device that can play whatever its app's status is.
package struct TestDevice: Sendable, Hashable {
    package let key: KeyThumbprint
    package let note: String
    package let addedAt: Moment
}

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

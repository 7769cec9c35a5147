import GatehouseJSON
import GatehousePlatform
import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Table `identity_providers`.
enum IdentityProviderQueries {
    static func providers(of app: AppID, in tx: Reader) throws -> [Provider: ProviderConfiguration] {
        let rows = try tx.rows(
            "SELECT idp, settings, is_enabled, sealed_secret FROM identity_providers WHERE app_id = \(app)"
        ) {
            row -> (Provider, ProviderConfiguration) in
            let settings: String = try row[1]
            var configuration = try JSONText.read(settings) as ProviderConfiguration
            configuration.isEnabled = try row[2]
            configuration.sealedSecrets = try row[3]
            return (try row[0], configuration)
        }
        return Dictionary(rows) { _, last in last }
    }

    static func set(
        _ provider: Provider, _ configuration: ProviderConfiguration, app: AppID, at moment: Moment, in tx: Transaction
    ) throws {
        let settings = try JSONText.write(configuration)
        try tx.execute(
            """
            INSERT INTO identity_providers (app_id, idp, settings, sealed_secret, is_enabled, created_at)
            VALUES (
                \(app), \(provider), \(settings), \(configuration.sealedSecrets), \(configuration.isEnabled),
                \(moment))
            ON CONFLICT (app_id, idp) DO UPDATE SET
                settings = excluded.settings, sealed_secret = excluded.sealed_secret, is_enabled = excluded.is_enabled
            """)
    }

    /// When the first of the providers that are switched on was set up; nil if none is.
    static func firstEnabled(of app: AppID, in tx: Reader) throws -> Moment? {
        try tx.first(
            """
            SELECT created_at FROM identity_providers WHERE app_id = \(app) AND is_enabled = \(true)
            ORDER BY created_at LIMIT 1
            """
        ) { row in try row[0] }
    }

    /// Whether any member has an identity of the provider, or can get one back.
    static func hasIdentities(_ provider: Provider, app: AppID, in tx: Reader) throws -> Bool {
        for table in ["identities", "former_identities"] as [SQL] {
            let found = try tx.first(
                "SELECT 1 FROM \(table) WHERE idp = \(provider) AND app_id = \(app) LIMIT 1"
            ) { row in try row[0] as Int }
            if found != nil { return true }
        }
        return false
    }

    /// False when it is already so, or when there is no such provider.
    static func setEnabled(_ isEnabled: Bool, _ provider: Provider, app: AppID, in tx: Transaction) throws -> Bool {
        try tx.execute(
            """
            UPDATE identity_providers SET is_enabled = \(isEnabled)
            WHERE app_id = \(app) AND idp = \(provider) AND is_enabled <> \(isEnabled)
            """) == 1
    }

    /// Counts the members who can log in with this provider and with no other, among the newest.
    ///
    /// - Parameter limit: how many members are looked at.
    static func soleOwners(
        of provider: Provider, app: AppID, limit: Int, in tx: Reader
    ) throws -> (found: Int, looked: Int) {
        try tx.first(
            """
            SELECT count(i.user_id), count(*) FROM (
                SELECT user_id FROM members WHERE app_id = \(app) ORDER BY user_id DESC LIMIT \(limit)
            ) m LEFT JOIN identities i ON i.user_id = m.user_id AND i.app_id = \(app) AND i.idp = \(provider)
                AND NOT EXISTS (
                    SELECT 1 FROM identities o
                    WHERE o.user_id = m.user_id AND o.app_id = \(app) AND o.idp <> \(provider))
            """
        ) { row in (try row[0], try row[1]) } ?? (0, 0)
    }
}

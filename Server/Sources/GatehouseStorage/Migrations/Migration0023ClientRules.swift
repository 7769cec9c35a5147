extension Migration {
    /// Which status some clients of an app get instead of the app's own.
    static let clientRules = Migration(
        number: 23, name: "rules by client",
        statements: [
            """
            CREATE TABLE client_rules (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                rule_id TEXT NOT NULL,
                position BIGINT NOT NULL,
                os_code TEXT,
                store_code TEXT,
                version_from TEXT,
                version_below TEXT,
                status BIGINT NOT NULL,
                update_url TEXT,
                message TEXT NOT NULL,
                PRIMARY KEY (app_id, rule_id)
            )
            """
        ])
}

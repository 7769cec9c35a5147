extension Migration {
    /// The permitted uses of a secret key, and revoked signing keys.
    static let keysAndScopes = Migration(
        number: 8, name: "keys and scopes",
        statements: [
            // Null for the app's own keys, which are rotated; other keys have names.
            "ALTER TABLE app_secrets ADD COLUMN name TEXT",
            // Words separated by spaces; null for every scope, including those of later versions.
            "ALTER TABLE app_secrets ADD COLUMN scopes TEXT",
            // The revoked keys, for game servers that verify signatures themselves (`revocations+jwt`).
            """
            CREATE TABLE revoked_signing_keys (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                key_id TEXT NOT NULL,
                revoked_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, key_id)
            )\(.clustered)
            """,
        ])
}

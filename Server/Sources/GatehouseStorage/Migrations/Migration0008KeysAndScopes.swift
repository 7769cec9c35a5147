extension Migration {
    /// What a secret key may be used for, and which signing keys were revoked.
    static let keysAndScopes = Migration(
        number: 8, name: "keys and scopes",
        statements: [
            // Null for the app's own keys, which are rotated one after another; other keys have names.
            "ALTER TABLE app_secrets ADD COLUMN name TEXT",
            // Words with spaces in between; null for every scope, also those of later versions.
            "ALTER TABLE app_secrets ADD COLUMN scopes TEXT",
            // Game servers that check signatures by themselves are told of them (`revocations+jwt`).
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

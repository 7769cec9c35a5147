extension Migration {
    /// Identity providers: credentials that were used, logins in browsers, and what providers have sent.
    static let identityProviders = Migration(
        number: 3, name: "identity providers", statements: credentials + logins + signals)

    // A credential is of the device that has used it first, until it ends by itself. Devices are known by a hash of their key with
    // the row's own: a row that outlives a member leads to nobody.
    private static let credentials: [SQL] = [
        """
        CREATE TABLE used_credentials (
            credential_hash \(.bytes) NOT NULL,
            app_id TEXT NOT NULL,
            device_hash \(.bytes) NOT NULL,
            expires_at BIGINT NOT NULL,
            PRIMARY KEY (credential_hash, app_id)
        )\(.clustered)
        """,
        "CREATE INDEX used_credentials_end ON used_credentials (expires_at)",
    ]

    // `state_hash` is of what the browser comes back with, `code_hash` of what the game logs in with then.
    private static let logins: [SQL] = [
        """
        CREATE TABLE login_attempts (
            attempt_id TEXT NOT NULL PRIMARY KEY,
            app_id TEXT NOT NULL,
            idp TEXT NOT NULL,
            device_hash \(.bytes) NOT NULL,
            status TEXT NOT NULL,
            state_hash \(.bytes) NOT NULL,
            sealed_login \(.bytes) NOT NULL,
            code_hash \(.bytes),
            sealed_identity \(.bytes),
            expires_at BIGINT NOT NULL
        )\(.clustered)
        """,
        "CREATE INDEX login_attempts_end ON login_attempts (expires_at)",
    ]

    private static let signals: [SQL] = [
        """
        CREATE TABLE provider_signals (
            signal_hash \(.bytes) NOT NULL,
            app_id TEXT NOT NULL,
            received_at BIGINT NOT NULL,
            PRIMARY KEY (signal_hash, app_id)
        )\(.clustered)
        """,
        "CREATE INDEX provider_signals_received ON provider_signals (received_at)",
    ]
}

extension Migration {
    /// Identity providers: used credentials, browser logins, and providers' reports.
    static let identityProviders = Migration(
        number: 3, name: "identity providers", statements: credentials + logins + signals)

    // A credential belongs to the first device that has used it, until it expires. The device is stored as a hash of its key with the
    // row's own, so that a row that outlives a member identifies nobody.
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

    // `state_hash` is the hash of the browser's state, and `code_hash` the hash of the code with which the game logs in.
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

extension Migration {
    /// A device's failed attempts, and an index of grace bans for operators.
    static let transferAttempts = Migration(
        number: 13, name: "transfer attempts",
        statements: [
            // A device's consecutive wrong ids and passwords of transfer accounts. The device is identified by a keyed hash of its key,
            // because the key is a guest's identity and must not remain here after a withdrawal.
            """
            CREATE TABLE transfer_attempts (
                app_id TEXT NOT NULL,
                device_hash \(.bytes) NOT NULL,
                failed_attempts BIGINT NOT NULL,
                first_at BIGINT NOT NULL,
                blocked_until BIGINT,
                kept_until BIGINT NOT NULL,
                PRIMARY KEY (device_hash, app_id)
            )\(.clustered)
            """,
            "CREATE INDEX transfer_attempts_end ON transfer_attempts (kept_until)",
            // Lists the grace bans that have not ended, newest first.
            "CREATE INDEX grace_bans_open ON grace_bans (app_id, grace_ban_id) WHERE outcome IS NULL",
        ])
}

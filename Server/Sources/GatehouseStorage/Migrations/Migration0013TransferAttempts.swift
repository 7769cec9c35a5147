extension Migration {
    /// What a device has tried in vain, and the grace bans that an operator looks at.
    static let transferAttempts = Migration(
        number: 13, name: "transfer attempts",
        statements: [
            // Wrong ids and passwords of transfer accounts, of one device in a row. A device is named by a keyed hash of its key, which
            // is a guest's identity: a withdrawal leaves nothing of it here.
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
            // An operator lists those that have not ended, newest first.
            "CREATE INDEX grace_bans_open ON grace_bans (app_id, grace_ban_id) WHERE outcome IS NULL",
        ])
}

extension Migration {
    /// Limits on callers that no other limit stops, and an index for withdrawals.
    static let limits = Migration(
        number: 6, name: "limits",
        statements: [
            "ALTER TABLE apps ADD COLUMN changes_per_minute BIGINT NOT NULL DEFAULT 120",
            "ALTER TABLE apps ADD COLUMN live_sessions BIGINT NOT NULL DEFAULT 100",
            "ALTER TABLE apps ADD COLUMN wrong_transfers_per_hour BIGINT NOT NULL DEFAULT 3000",
            // An app's wrong transfer passwords and keys in an hour, over all addresses and nodes.
            """
            CREATE TABLE wrong_transfers (
                app_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                hour BIGINT NOT NULL,
                guesses BIGINT NOT NULL,
                PRIMARY KEY (app_id, kind, hour)
            )\(.clustered)
            """,
            "CREATE INDEX transfer_accounts_expiry ON transfer_accounts (expires_at) WHERE expires_at IS NOT NULL",
            // Finds an identity in the records of its former member, so that a withdrawal can delete it there.
            "CREATE INDEX former_identities_subject ON former_identities (subject)",
        ])
}

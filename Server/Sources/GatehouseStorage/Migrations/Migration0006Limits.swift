extension Migration {
    /// What bounds a caller that nothing else does, and what a withdrawal looks for.
    static let limits = Migration(
        number: 6, name: "limits",
        statements: [
            "ALTER TABLE apps ADD COLUMN changes_per_minute BIGINT NOT NULL DEFAULT 120",
            "ALTER TABLE apps ADD COLUMN live_sessions BIGINT NOT NULL DEFAULT 100",
            "ALTER TABLE apps ADD COLUMN wrong_transfers_per_hour BIGINT NOT NULL DEFAULT 3000",
            // Wrong transfer passwords and keys of an app in an hour, over all addresses and nodes.
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
            // An identity that has moved on is named by its former member, too: a withdrawal forgets it there.
            "CREATE INDEX former_identities_subject ON former_identities (subject)",
        ])
}

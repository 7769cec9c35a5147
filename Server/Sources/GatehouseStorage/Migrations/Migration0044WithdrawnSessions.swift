extension Migration {
    /// The hashes of the refresh tokens whose account was deleted, for a limited time: their devices are told so. A hash leads to nobody.
    static let withdrawnSessions = Migration(
        number: 44, name: "withdrawn sessions",
        statements: [
            """
            CREATE TABLE withdrawn_sessions (
                token_hash \(.bytes) NOT NULL,
                app_id TEXT NOT NULL,
                expires_at BIGINT NOT NULL,
                PRIMARY KEY (token_hash, app_id)
            )\(.clustered)
            """,
            "CREATE INDEX withdrawn_sessions_end ON withdrawn_sessions (expires_at)",
        ])
}

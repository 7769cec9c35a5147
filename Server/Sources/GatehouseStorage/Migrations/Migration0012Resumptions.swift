extension Migration {
    /// What a provider told at a login is not to be had after a login with the last provider, session by session (LOGIN-9).
    static let resumptions = Migration(
        number: 12, name: "resumptions",
        statements: [
            // When a login with the last provider has last gone on with the session.
            "ALTER TABLE sessions ADD COLUMN resumed_at BIGINT"
        ])
}

extension Migration {
    /// After a login with the last provider, a session no longer gives access to what a provider reported at an earlier login
    /// (LOGIN-9).
    static let resumptions = Migration(
        number: 12, name: "resumptions",
        statements: [
            // The time of the last login with the last provider that has continued the session.
            "ALTER TABLE sessions ADD COLUMN resumed_at BIGINT"
        ])
}

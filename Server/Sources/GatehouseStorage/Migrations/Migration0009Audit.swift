extension Migration {
    /// What operators, game servers, providers' reports and deadlines do, over all apps and in the order of time.
    static let audit = Migration(
        number: 9, name: "audit",
        statements: [
            // Append-only. `app_id` is null for what concerns the whole server, `user_id` for what concerns a whole app.
            """
            CREATE TABLE audit_log (
                audit_id TEXT NOT NULL PRIMARY KEY,
                app_id TEXT,
                user_id TEXT,
                event TEXT NOT NULL,
                actor TEXT NOT NULL,
                door TEXT NOT NULL,
                acted_by TEXT,
                details TEXT,
                happened_at BIGINT NOT NULL
            )\(.clustered)
            """
        ])
}

extension Migration {
    /// The actions of operators, game servers, providers' reports and deadlines, over all apps, in chronological order.
    static let audit = Migration(
        number: 9, name: "audit",
        statements: [
            // The table is append-only. `app_id` is null for an event of the whole server, and `user_id` for an event of a whole app.
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

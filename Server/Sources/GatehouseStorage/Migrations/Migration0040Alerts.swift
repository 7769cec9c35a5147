extension Migration {
    /// Who is told of an app's verdicts, and of what each has been told.
    static let alerts = Migration(
        number: 40, name: "alerts",
        statements: [
            """
            CREATE TABLE alert_receivers (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                receiver_id TEXT NOT NULL,
                kind TEXT NOT NULL,
                sealed_address \(.bytes) NOT NULL,
                hint TEXT NOT NULL,
                language TEXT NOT NULL,
                verdicts TEXT NOT NULL,
                least TEXT NOT NULL,
                quiet_from BIGINT,
                quiet_until BIGINT,
                is_on BOOLEAN NOT NULL,
                created_at BIGINT NOT NULL,
                tried_at BIGINT,
                outcome TEXT,
                PRIMARY KEY (app_id, receiver_id)
            )
            """,
            """
            CREATE TABLE alert_states (
                app_id TEXT NOT NULL,
                receiver_id TEXT NOT NULL,
                verdict TEXT NOT NULL,
                state TEXT NOT NULL,
                begun_at BIGINT NOT NULL,
                gone_at BIGINT,
                PRIMARY KEY (app_id, receiver_id, verdict)
            )
            """,
        ])
}

extension Migration {
    /// What has happened, counted by hour and by day, and the last day on which each member has played.
    static let counts = Migration(
        number: 22, name: "counts",
        statements: [
            // The bucket is the moment at which the hour or the day begins. The label is an identity provider, an error code, or empty.
            """
            CREATE TABLE counts (
                app_id TEXT NOT NULL,
                unit TEXT NOT NULL,
                metric TEXT NOT NULL,
                bucket BIGINT NOT NULL,
                label TEXT NOT NULL,
                amount BIGINT NOT NULL,
                PRIMARY KEY (app_id, unit, metric, bucket, label)
            )\(.clustered)
            """,
            "CREATE INDEX counts_hours ON counts (bucket) WHERE unit = 'hour'",
            // Days since 1970, UTC. Members of before have 0 until they come back.
            "ALTER TABLE members ADD COLUMN active_day BIGINT NOT NULL DEFAULT 0",
        ])
}

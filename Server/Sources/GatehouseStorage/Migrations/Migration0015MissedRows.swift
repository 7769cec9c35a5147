extension Migration {
    /// Tells by a constraint's name that a statement has changed too few rows.
    static let missedRows = Migration(
        number: 15, name: "missed rows",
        statements: [
            // The table stays empty. On PostgreSQL a statement that must change a row adds a row here when it changes none, in the same
            // statement, and so violates the constraint; the server then refuses the commit that follows in the pipeline.
            """
            CREATE TABLE missed_rows (
                missed BIGINT NOT NULL,
                CONSTRAINT rows_missed CHECK (missed = 0)
            )
            """
        ])
}

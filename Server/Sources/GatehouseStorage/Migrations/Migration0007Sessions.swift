extension Migration {
    /// Which link of an identity a session was opened with; why there is maintenance; the time of `gatehouse dev`.
    static let sessions = Migration(
        number: 7, name: "sessions and maintenance",
        statements: [
            // A link is numbered by the member's version: an identity that leaves and comes back has another. A session of before
            // has the number of the identities of before.
            "ALTER TABLE identities ADD COLUMN link BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE sessions ADD COLUMN link BIGINT NOT NULL DEFAULT 0",
            // In a word, for operators and game servers; players read the message.
            "ALTER TABLE apps ADD COLUMN maintenance_reason TEXT",
            // How far the clock of the development server on this database is ahead: one row, or none.
            """
            CREATE TABLE dev_clock (
                clock_id BIGINT NOT NULL PRIMARY KEY,
                offset_seconds BIGINT NOT NULL
            )
            """,
        ])
}

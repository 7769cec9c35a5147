extension Migration {
    /// The link of the identity with which a session was opened; the reason for maintenance; the clock of `gatehouse dev`.
    static let sessions = Migration(
        number: 7, name: "sessions and maintenance",
        statements: [
            // A link's number is the member's version: an identity that is removed and mapped again gets another number. Sessions and
            // identities from before this migration have the same number.
            "ALTER TABLE identities ADD COLUMN link BIGINT NOT NULL DEFAULT 0",
            "ALTER TABLE sessions ADD COLUMN link BIGINT NOT NULL DEFAULT 0",
            // The reason as one word, for operators and game servers; players read the message.
            "ALTER TABLE apps ADD COLUMN maintenance_reason TEXT",
            // The offset of the development server's clock on this database, in at most one row.
            """
            CREATE TABLE dev_clock (
                clock_id BIGINT NOT NULL PRIMARY KEY,
                offset_seconds BIGINT NOT NULL
            )
            """,
        ])
}

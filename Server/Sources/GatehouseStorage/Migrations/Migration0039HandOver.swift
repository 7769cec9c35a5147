extension Migration {
    /// An app's newest notes, which are handed over to the next shift, and the replies that support copies.
    static let handOver = Migration(
        number: 39, name: "notes of an app, replies",
        statements: [
            "CREATE INDEX member_notes_app ON member_notes (app_id, note_id)",
            """
            CREATE TABLE replies (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                reply_id BIGINT NOT NULL,
                title TEXT NOT NULL,
                texts TEXT NOT NULL,
                PRIMARY KEY (app_id, reply_id)
            )
            """,
        ])
}

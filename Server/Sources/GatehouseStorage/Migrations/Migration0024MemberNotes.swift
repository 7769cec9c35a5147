extension Migration {
    /// Notes that are changed and pinned, and the members of a device.
    static let memberNotes = Migration(
        number: 24, name: "changed notes, members of a device",
        statements: [
            "ALTER TABLE member_notes ADD COLUMN is_pinned BOOLEAN NOT NULL DEFAULT FALSE",
            "ALTER TABLE member_notes ADD COLUMN edited_by TEXT",
            "ALTER TABLE member_notes ADD COLUMN edited_at BIGINT",
            // What a note said before each change.
            """
            CREATE TABLE member_note_versions (
                app_id TEXT NOT NULL,
                version_id TEXT NOT NULL,
                note_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                author TEXT NOT NULL,
                body TEXT NOT NULL,
                written_at BIGINT NOT NULL,
                PRIMARY KEY (user_id, app_id, version_id)
            )\(.clustered)
            """,
            // The guest of a device is found by its identity, so that a new guest, the most frequent login, costs no entry.
            "CREATE INDEX sessions_device ON sessions (key_thumbprint) WHERE idp <> 'guest'",
        ])
}

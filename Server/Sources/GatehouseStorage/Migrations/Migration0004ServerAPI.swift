extension Migration {
    /// Indexes for game servers' queries over periods and many members, and information about devices.
    static let serverAPI = Migration(
        number: 4, name: "server api",
        statements: [
            // The members that are banned now. A ban's id begins with its time.
            "CREATE INDEX members_banned ON members (ban_id) WHERE ban_id IS NOT NULL",
            // The history of withdrawals of all members. Entries sort in chronological order.
            """
            CREATE INDEX ledger_withdrawals ON ledger (entry_id)
                WHERE event IN ('withdrawal.done', 'withdrawal.requested', 'withdrawal.cancelled')
            """,
            // Information about the device, sent with its login.
            "ALTER TABLE sessions ADD COLUMN client TEXT",
            // The identity provider whose report ended a member's sessions.
            "ALTER TABLE members ADD COLUMN sessions_end_idp TEXT",
            // Access tokens that were revoked before they expired: those of a session, of an identity provider's logins, or of a
            // member.
            """
            CREATE TABLE revocations (
                revocation_id TEXT NOT NULL PRIMARY KEY,
                app_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                session_id TEXT,
                idp TEXT,
                generation BIGINT,
                reason TEXT NOT NULL,
                revoked_at BIGINT NOT NULL
            )\(.clustered)
            """,
        ])
}

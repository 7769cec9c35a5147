extension Migration {
    /// What game servers ask for over time and over many members, and what devices say of themselves.
    static let serverAPI = Migration(
        number: 4, name: "server api",
        statements: [
            // Who is banned now. A ban's id begins with its time.
            "CREATE INDEX members_banned ON members (ban_id) WHERE ban_id IS NOT NULL",
            // The history of withdrawals over all members: entries are in the order of time.
            """
            CREATE INDEX ledger_withdrawals ON ledger (entry_id)
                WHERE event IN ('withdrawal.done', 'withdrawal.requested', 'withdrawal.cancelled')
            """,
            // What the device has said of itself at its login.
            "ALTER TABLE sessions ADD COLUMN client TEXT",
            // The identity provider whose report has ended a member's sessions.
            "ALTER TABLE members ADD COLUMN sessions_end_idp TEXT",
            // Access tokens that ended before their time: of a session, of an identity provider's logins, or of a member.
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

extension Migration {
    /// The people who use the console, and what they have done.
    package static let operators = Migration(
        number: 17, name: "operators",
        statements: [
            // An operator without a password has been invited and has not enrolled yet.
            """
            CREATE TABLE operators (
                operator_id TEXT NOT NULL PRIMARY KEY,
                name TEXT NOT NULL,
                password_hash \(.bytes),
                sealed_secret \(.bytes),
                totp_step BIGINT NOT NULL,
                is_disabled BIGINT NOT NULL,
                preferences TEXT NOT NULL,
                created_at BIGINT NOT NULL
            )
            """,
            "CREATE UNIQUE INDEX operators_name ON operators (name)",
            // The app '*' means every app and the server itself.
            """
            CREATE TABLE operator_grants (
                operator_id TEXT NOT NULL,
                app_id TEXT NOT NULL,
                role TEXT NOT NULL,
                PRIMARY KEY (operator_id, app_id)
            )\(.clustered)
            """,
            """
            CREATE TABLE operator_invitations (
                token_hash \(.bytes) NOT NULL PRIMARY KEY,
                operator_id TEXT NOT NULL,
                sealed_secret \(.bytes) NOT NULL,
                expires_at BIGINT NOT NULL,
                used_at BIGINT
            )\(.clustered)
            """,
            """
            CREATE TABLE operator_recovery_codes (
                operator_id TEXT NOT NULL,
                code_hash \(.bytes) NOT NULL,
                PRIMARY KEY (operator_id, code_hash)
            )\(.clustered)
            """,
            """
            CREATE TABLE operator_sessions (
                token_hash \(.bytes) NOT NULL PRIMARY KEY,
                session_id TEXT NOT NULL,
                operator_id TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                used_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                elevated_until BIGINT NOT NULL,
                address TEXT NOT NULL,
                agent TEXT NOT NULL
            )\(.clustered)
            """,
            "CREATE INDEX operator_sessions_operator ON operator_sessions (operator_id)",
            "CREATE INDEX operator_sessions_end ON operator_sessions (expires_at)",
            // Append-only. The states are the target's before and after the change, as JSON.
            """
            CREATE TABLE operator_actions (
                entry_id TEXT NOT NULL PRIMARY KEY,
                app_id TEXT,
                operator_id TEXT NOT NULL,
                operator_name TEXT NOT NULL,
                role TEXT NOT NULL,
                action TEXT NOT NULL,
                target TEXT NOT NULL,
                reason TEXT NOT NULL,
                ticket TEXT,
                state_before TEXT,
                state_after TEXT,
                transaction_id TEXT NOT NULL,
                address TEXT NOT NULL,
                once_key TEXT NOT NULL,
                happened_at BIGINT NOT NULL
            )
            """,
            "CREATE UNIQUE INDEX operator_actions_once ON operator_actions (operator_id, once_key)",
            "CREATE INDEX operator_actions_app ON operator_actions (app_id, entry_id)",
            "CREATE INDEX operator_actions_target ON operator_actions (target, app_id, entry_id)",
            // Logins and other calls that were refused, so that an operator can explain an error by its transaction id.
            """
            CREATE TABLE refusals (
                refusal_id TEXT NOT NULL PRIMARY KEY,
                app_id TEXT NOT NULL,
                transaction_id TEXT NOT NULL,
                code BIGINT NOT NULL,
                reason TEXT,
                call TEXT NOT NULL,
                idp TEXT,
                key_thumbprint TEXT,
                user_id TEXT,
                client TEXT,
                happened_at BIGINT NOT NULL
            )
            """,
            "CREATE INDEX refusals_transaction ON refusals (transaction_id, app_id)",
            "CREATE INDEX refusals_member ON refusals (user_id, app_id, refusal_id) WHERE user_id IS NOT NULL",
            """
            CREATE TABLE member_notes (
                app_id TEXT NOT NULL,
                note_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                author TEXT NOT NULL,
                body TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (user_id, app_id, note_id)
            )\(.clustered)
            """,
        ])
}

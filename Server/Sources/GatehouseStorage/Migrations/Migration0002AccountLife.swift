extension Migration {
    /// The life cycle of an account: identity providers, moved mappings, transfers, withdrawals, bans, their ledger, and the jobs that
    /// follow a commit.
    ///
    /// The new columns allow a server of the previous version to continue working.
    static let accountLife = Migration(
        number: 2, name: "account life",
        statements: apps + members + mappings + transfers + bans + jobs)

    private static let apps: [SQL] = [
        "ALTER TABLE apps ADD COLUMN account_policy TEXT NOT NULL DEFAULT '{}'",
        "ALTER TABLE apps ADD COLUMN kicked_out_at BIGINT",
        "ALTER TABLE apps ADD COLUMN kick_out_message TEXT",
        """
        CREATE TABLE identity_providers (
            app_id TEXT NOT NULL REFERENCES apps (app_id),
            idp TEXT NOT NULL,
            settings TEXT NOT NULL,
            sealed_secret \(.bytes),
            is_enabled BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            PRIMARY KEY (app_id, idp)
        )
        """,
    ]

    // `version` counts a member's changes: a decision based on one version is written to that version or not at all. `generation`
    // counts how often all its sessions were ended: a session is valid in only one. `due_at` is the member's next deadline.
    private static let members: [SQL] = [
        "ALTER TABLE members ADD COLUMN version BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE members ADD COLUMN generation BIGINT NOT NULL DEFAULT 0",
        "ALTER TABLE members ADD COLUMN sessions_end_reason TEXT",
        "ALTER TABLE members ADD COLUMN sessions_end_message TEXT",
        "ALTER TABLE members ADD COLUMN withdraws_at BIGINT",
        "ALTER TABLE members ADD COLUMN ban_id TEXT",
        "ALTER TABLE members ADD COLUMN ban_ends_at BIGINT",
        "ALTER TABLE members ADD COLUMN grace_ban_id TEXT",
        "ALTER TABLE members ADD COLUMN grace_ends_at BIGINT",
        "ALTER TABLE members ADD COLUMN restorable_until BIGINT",
        "ALTER TABLE members ADD COLUMN due_at BIGINT",
        "CREATE INDEX members_due ON members (due_at) WHERE due_at IS NOT NULL",
        "ALTER TABLE sessions ADD COLUMN generation BIGINT NOT NULL DEFAULT 0",
        "CREATE INDEX sessions_member ON sessions (user_id)",
        """
        CREATE TABLE ledger (
            user_id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            entry_id TEXT NOT NULL,
            event TEXT NOT NULL,
            actor TEXT NOT NULL,
            door TEXT NOT NULL,
            acted_by TEXT,
            reason TEXT,
            details TEXT,
            happened_at BIGINT NOT NULL,
            PRIMARY KEY (user_id, app_id, entry_id)
        )\(.clustered)
        """,
    ]

    private static let mappings: [SQL] = [
        """
        CREATE TABLE former_identities (
            user_id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            idp TEXT NOT NULL,
            namespace TEXT NOT NULL,
            subject TEXT NOT NULL,
            left_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            PRIMARY KEY (user_id, app_id, idp)
        )\(.clustered)
        """,
        "CREATE INDEX former_identities_expiry ON former_identities (expires_at)",
        """
        CREATE TABLE forcing_tickets (
            ticket_id TEXT NOT NULL PRIMARY KEY,
            secret_hash \(.bytes) NOT NULL,
            app_id TEXT NOT NULL,
            session_id TEXT NOT NULL,
            user_id TEXT NOT NULL,
            mapped_user_id TEXT NOT NULL,
            idp TEXT NOT NULL,
            namespace TEXT NOT NULL,
            subject TEXT NOT NULL,
            sealed_tokens \(.bytes),
            expires_at BIGINT NOT NULL,
            used_at BIGINT
        )\(.clustered)
        """,
        "CREATE INDEX forcing_tickets_user ON forcing_tickets (user_id)",
        "CREATE INDEX forcing_tickets_mapped_user ON forcing_tickets (mapped_user_id)",
        """
        CREATE TABLE identity_tokens (
            user_id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            idp TEXT NOT NULL,
            session_id TEXT NOT NULL,
            sealed_tokens \(.bytes) NOT NULL,
            updated_at BIGINT NOT NULL,
            PRIMARY KEY (user_id, app_id, idp)
        )\(.clustered)
        """,
    ]

    private static let transfers: [SQL] = [
        """
        CREATE TABLE transfer_accounts (
            account_id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            user_id TEXT NOT NULL,
            password_hash \(.bytes) NOT NULL,
            issued_type TEXT NOT NULL,
            is_single_use BIGINT NOT NULL,
            issued_at BIGINT NOT NULL,
            expires_at BIGINT,
            used_at BIGINT,
            failed_attempts BIGINT NOT NULL,
            blocked_until BIGINT,
            PRIMARY KEY (account_id, app_id),
            CONSTRAINT transfer_accounts_one_per_member UNIQUE (user_id, app_id)
        )\(.clustered)
        """,
        """
        CREATE TABLE transfer_keys (
            key_hash \(.bytes) NOT NULL,
            app_id TEXT NOT NULL,
            user_id TEXT NOT NULL,
            issued_at BIGINT NOT NULL,
            expires_at BIGINT NOT NULL,
            used_at BIGINT,
            PRIMARY KEY (key_hash, app_id)
        )\(.clustered)
        """,
        "CREATE INDEX transfer_keys_user ON transfer_keys (user_id)",
        "CREATE INDEX transfer_keys_expiry ON transfer_keys (expires_at)",
    ]

    private static let bans: [SQL] = [
        """
        CREATE TABLE ban_templates (
            app_id TEXT NOT NULL REFERENCES apps (app_id),
            code BIGINT NOT NULL,
            name TEXT NOT NULL,
            texts TEXT NOT NULL,
            PRIMARY KEY (app_id, code)
        )
        """,
        """
        CREATE TABLE bans (
            ban_id TEXT NOT NULL PRIMARY KEY,
            app_id TEXT NOT NULL,
            user_id TEXT NOT NULL,
            ban_type TEXT NOT NULL,
            begins_at BIGINT NOT NULL,
            ends_at BIGINT,
            template_code BIGINT,
            message TEXT,
            reason TEXT NOT NULL,
            flags TEXT,
            caller TEXT NOT NULL,
            registered_by TEXT NOT NULL,
            released_at BIGINT,
            release_caller TEXT,
            release_reason TEXT,
            released_by TEXT
        )\(.clustered)
        """,
        "CREATE INDEX bans_user ON bans (user_id)",
        "CREATE INDEX bans_released ON bans (released_at) WHERE released_at IS NOT NULL",
        """
        CREATE TABLE grace_bans (
            grace_ban_id TEXT NOT NULL PRIMARY KEY,
            app_id TEXT NOT NULL,
            user_id TEXT NOT NULL,
            message TEXT NOT NULL,
            begins_at BIGINT NOT NULL,
            ends_at BIGINT NOT NULL,
            required_amount BIGINT NOT NULL,
            required_count BIGINT NOT NULL,
            currency TEXT NOT NULL,
            condition_type TEXT NOT NULL,
            paid_amount BIGINT NOT NULL,
            paid_count BIGINT NOT NULL,
            registered_by TEXT NOT NULL,
            outcome TEXT,
            ended_at BIGINT
        )\(.clustered)
        """,
        "CREATE INDEX grace_bans_user ON grace_bans (user_id)",
        """
        CREATE TABLE payments (
            payment_id TEXT NOT NULL,
            app_id TEXT NOT NULL,
            user_id TEXT NOT NULL,
            amount BIGINT NOT NULL,
            currency TEXT NOT NULL,
            reported_at BIGINT NOT NULL,
            PRIMARY KEY (payment_id, app_id)
        )\(.clustered)
        """,
        "CREATE INDEX payments_user ON payments (user_id)",
    ]

    private static let jobs: [SQL] = [
        """
        CREATE TABLE jobs (
            job_id TEXT NOT NULL PRIMARY KEY,
            app_id TEXT NOT NULL,
            kind TEXT NOT NULL,
            sealed_payload \(.bytes),
            state TEXT NOT NULL,
            attempts BIGINT NOT NULL,
            next_at BIGINT NOT NULL,
            last_error TEXT,
            created_at BIGINT NOT NULL,
            ended_at BIGINT
        )\(.clustered)
        """,
        "CREATE INDEX jobs_waiting ON jobs (next_at) WHERE state = 'waiting'",
        "CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL",
    ]
}

extension Migration {
    /// Every key names its app, so that an engine that distributes tables by app can hold each of them (`docs/scaling.md`).
    ///
    /// The app comes last, because the ids are found by their first letters and grow with time. A key that is unique without the app
    /// stays so: the ids are random.
    static let appsInKeys = Migration(
        number: 26, name: "apps in keys",
        statements: [
            // The key of a spent proof is the same for all apps, because a proof counts once over all of them. Empty in rows of a
            // server of before, which are minutes old.
            "ALTER TABLE spent_proofs ADD COLUMN app_id TEXT NOT NULL DEFAULT ''"
        ],
        sqlite: KeyedTable.all.flatMap(\.rebuild), postgresql: KeyedTable.all.map(\.newKey))
}

/// A table whose key gets the app.
private struct KeyedTable {
    let name: SQL
    /// The key of before.
    let id: SQL
    let columns: [(name: SQL, type: SQL)]
    var clustered: SQL = "\(.clustered)"
    let indexes: [SQL]

    /// SQLite can't change a table's key: the rows move to a new table.
    var rebuild: [SQL] {
        let names = columns.map(\.name)
        let list = names.dropFirst().reduce(names[0]) { "\($0), \($1)" } as SQL
        let definitions = columns.reduce("" as SQL) { "\($0)\($1.name) \($1.type), " }
        return [
            "CREATE TABLE \(name)_keyed (\(definitions)PRIMARY KEY (\(id), app_id))\(clustered)",
            "INSERT INTO \(name)_keyed (\(list)) SELECT \(list) FROM \(name)",
            "DROP TABLE \(name)",
            "ALTER TABLE \(name)_keyed RENAME TO \(name)",
        ] + indexes.map { "CREATE INDEX \($0)" }
    }

    var newKey: SQL {
        """
        ALTER TABLE \(name) DROP CONSTRAINT \(name)_pkey, ADD CONSTRAINT \(name)_pkey PRIMARY KEY (\(id), app_id)
        """
    }
}

extension KeyedTable {
    fileprivate static let all = [
        sessions, tickets, bans, graceBans, jobs, attempts, revocations, refusals,
    ]

    private static let sessions = KeyedTable(
        name: "sessions", id: "session_id",
        columns: [
            ("session_id", "TEXT NOT NULL"), ("app_id", "TEXT NOT NULL"), ("user_id", "TEXT NOT NULL"),
            ("idp", "TEXT NOT NULL"), ("key_thumbprint", "TEXT NOT NULL"), ("refresh_hash", "\(.bytes) NOT NULL"),
            ("created_at", "BIGINT NOT NULL"), ("last_used_at", "BIGINT NOT NULL"),
            ("idle_expires_at", "BIGINT NOT NULL"), ("expires_at", "BIGINT NOT NULL"), ("ended_at", "BIGINT"),
            ("end_reason", "TEXT"), ("generation", "BIGINT NOT NULL DEFAULT 0"), ("client", "TEXT"),
            ("link", "BIGINT NOT NULL DEFAULT 0"), ("replaces", "TEXT"), ("resumed_at", "BIGINT"),
        ],
        indexes: [
            "sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL",
            "sessions_member ON sessions (user_id)",
            "sessions_device ON sessions (key_thumbprint) WHERE idp <> 'guest'",
        ])

    private static let tickets = KeyedTable(
        name: "forcing_tickets", id: "ticket_id",
        columns: [
            ("ticket_id", "TEXT NOT NULL"), ("secret_hash", "\(.bytes) NOT NULL"), ("app_id", "TEXT NOT NULL"),
            ("session_id", "TEXT NOT NULL"), ("user_id", "TEXT NOT NULL"), ("mapped_user_id", "TEXT NOT NULL"),
            ("idp", "TEXT NOT NULL"), ("namespace", "TEXT NOT NULL"), ("subject", "TEXT NOT NULL"),
            ("sealed_tokens", "\(.bytes)"), ("expires_at", "BIGINT NOT NULL"), ("used_at", "BIGINT"),
        ],
        indexes: [
            "forcing_tickets_user ON forcing_tickets (user_id)",
            "forcing_tickets_mapped_user ON forcing_tickets (mapped_user_id)",
        ])

    private static let bans = KeyedTable(
        name: "bans", id: "ban_id",
        columns: [
            ("ban_id", "TEXT NOT NULL"), ("app_id", "TEXT NOT NULL"), ("user_id", "TEXT NOT NULL"),
            ("ban_type", "TEXT NOT NULL"), ("begins_at", "BIGINT NOT NULL"), ("ends_at", "BIGINT"),
            ("template_code", "BIGINT"), ("message", "TEXT"), ("reason", "TEXT NOT NULL"), ("flags", "TEXT"),
            ("caller", "TEXT NOT NULL"), ("registered_by", "TEXT NOT NULL"), ("released_at", "BIGINT"),
            ("release_caller", "TEXT"), ("release_reason", "TEXT"), ("released_by", "TEXT"),
        ],
        indexes: [
            "bans_user ON bans (user_id)", "bans_released ON bans (released_at) WHERE released_at IS NOT NULL",
        ])

    private static let graceBans = KeyedTable(
        name: "grace_bans", id: "grace_ban_id",
        columns: [
            ("grace_ban_id", "TEXT NOT NULL"), ("app_id", "TEXT NOT NULL"), ("user_id", "TEXT NOT NULL"),
            ("message", "TEXT NOT NULL"), ("begins_at", "BIGINT NOT NULL"), ("ends_at", "BIGINT NOT NULL"),
            ("required_amount", "BIGINT NOT NULL"), ("required_count", "BIGINT NOT NULL"),
            ("currency", "TEXT NOT NULL"), ("condition_type", "TEXT NOT NULL"), ("paid_amount", "BIGINT NOT NULL"),
            ("paid_count", "BIGINT NOT NULL"), ("registered_by", "TEXT NOT NULL"), ("outcome", "TEXT"),
            ("ended_at", "BIGINT"),
        ],
        indexes: [
            "grace_bans_user ON grace_bans (user_id)",
            "grace_bans_open ON grace_bans (app_id, grace_ban_id) WHERE outcome IS NULL",
        ])

    private static let jobs = KeyedTable(
        name: "jobs", id: "job_id",
        columns: [
            ("job_id", "TEXT NOT NULL"), ("app_id", "TEXT NOT NULL"), ("kind", "TEXT NOT NULL"),
            ("sealed_payload", "\(.bytes)"), ("state", "TEXT NOT NULL"), ("attempts", "BIGINT NOT NULL"),
            ("next_at", "BIGINT NOT NULL"), ("last_error", "TEXT"), ("created_at", "BIGINT NOT NULL"),
            ("ended_at", "BIGINT"),
        ],
        indexes: [
            "jobs_waiting ON jobs (next_at) WHERE state = 'waiting'",
            "jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL",
        ])

    private static let attempts = KeyedTable(
        name: "login_attempts", id: "attempt_id",
        columns: [
            ("attempt_id", "TEXT NOT NULL"), ("app_id", "TEXT NOT NULL"), ("idp", "TEXT NOT NULL"),
            ("device_hash", "\(.bytes) NOT NULL"), ("status", "TEXT NOT NULL"), ("state_hash", "\(.bytes) NOT NULL"),
            ("sealed_login", "\(.bytes) NOT NULL"), ("code_hash", "\(.bytes)"), ("sealed_identity", "\(.bytes)"),
            ("expires_at", "BIGINT NOT NULL"),
        ],
        indexes: ["login_attempts_end ON login_attempts (expires_at)"])

    private static let revocations = KeyedTable(
        name: "revocations", id: "revocation_id",
        columns: [
            ("revocation_id", "TEXT NOT NULL"), ("app_id", "TEXT NOT NULL"), ("user_id", "TEXT NOT NULL"),
            ("session_id", "TEXT"), ("idp", "TEXT"), ("generation", "BIGINT"), ("reason", "TEXT NOT NULL"),
            ("revoked_at", "BIGINT NOT NULL"),
        ],
        indexes: [])

    private static let refusals = KeyedTable(
        name: "refusals", id: "refusal_id",
        columns: [
            ("refusal_id", "TEXT NOT NULL"), ("app_id", "TEXT NOT NULL"), ("transaction_id", "TEXT NOT NULL"),
            ("code", "BIGINT NOT NULL"), ("reason", "TEXT"), ("call", "TEXT NOT NULL"), ("idp", "TEXT"),
            ("key_thumbprint", "TEXT"), ("user_id", "TEXT"), ("client", "TEXT"), ("happened_at", "BIGINT NOT NULL"),
        ],
        clustered: "",
        indexes: [
            "refusals_transaction ON refusals (transaction_id, app_id)",
            "refusals_member ON refusals (user_id, app_id, refusal_id) WHERE user_id IS NOT NULL",
            "refusals_app ON refusals (app_id, refusal_id)",
        ])
}

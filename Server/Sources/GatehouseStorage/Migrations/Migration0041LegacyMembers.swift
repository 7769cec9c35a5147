extension Migration {
    /// Players who come from another system: the systems that they may come from, who they are there, and the runs of imports.
    static let legacyMembers = Migration(
        number: 41, name: "legacy members", statements: sources + legacyIDs + runs)

    // Ids of devices and of erased members are stored as keyed hashes with the source's own key. It is sealed in `sealed_settings`, so
    // that closing a source makes the hashes useless.
    private static let sources: [SQL] = [
        """
        CREATE TABLE legacy_sources (
            app_id TEXT NOT NULL REFERENCES apps (app_id),
            source TEXT NOT NULL,
            kind TEXT NOT NULL,
            settings TEXT NOT NULL,
            sealed_settings \(.bytes),
            open_until BIGINT NOT NULL,
            created_at BIGINT NOT NULL,
            closed_at BIGINT,
            PRIMARY KEY (app_id, source)
        )
        """
    ]

    // The member's row decides who claims a legacy id first: every claim locks it. A key begins with what many rows are looked up by:
    // PostgreSQL without statistics takes no more of an index than the columns before a list, and would read all rows of a source.
    private static let legacyIDs: [SQL] = [
        """
        CREATE TABLE legacy_members (
            app_id TEXT NOT NULL,
            source TEXT NOT NULL,
            legacy_id TEXT NOT NULL,
            user_id TEXT NOT NULL,
            run_id TEXT,
            imported_at BIGINT NOT NULL,
            record_digest \(.bytes),
            valid_since BIGINT,
            lost_identities BIGINT NOT NULL DEFAULT 0,
            claimed_at BIGINT,
            claimed_key TEXT,
            PRIMARY KEY (legacy_id, source, app_id),
            CONSTRAINT legacy_members_one_per_source UNIQUE (user_id, app_id, source)
        )\(.clustered)
        """,
        "CREATE INDEX legacy_members_run ON legacy_members (run_id, user_id)",
        """
        CREATE TABLE legacy_devices (
            app_id TEXT NOT NULL,
            source TEXT NOT NULL,
            kind TEXT NOT NULL,
            value_hash \(.bytes) NOT NULL,
            user_id TEXT NOT NULL,
            PRIMARY KEY (value_hash, kind, source, app_id)
        )\(.clustered)
        """,
        "CREATE INDEX legacy_devices_member ON legacy_devices (user_id, app_id)",
        """
        CREATE TABLE legacy_erased (
            app_id TEXT NOT NULL,
            source TEXT NOT NULL,
            legacy_hash \(.bytes) NOT NULL,
            erased_at BIGINT NOT NULL,
            PRIMARY KEY (legacy_hash, source, app_id)
        )\(.clustered)
        """,
        """
        CREATE TABLE legacy_attempts (
            app_id TEXT NOT NULL,
            party_hash \(.bytes) NOT NULL,
            hour BIGINT NOT NULL,
            tries BIGINT NOT NULL,
            PRIMARY KEY (party_hash, hour, app_id)
        )\(.clustered)
        """,
        "CREATE INDEX legacy_attempts_hour ON legacy_attempts (hour)",
    ]

    // A run goes on after its checkpoint, a number of lines of the file with this digest. `leased_until` keeps two runs of one app apart.
    private static let runs: [SQL] = [
        """
        CREATE TABLE import_runs (
            app_id TEXT NOT NULL,
            run_id TEXT NOT NULL,
            source TEXT NOT NULL,
            file_digest \(.bytes) NOT NULL,
            state TEXT NOT NULL,
            checkpoint BIGINT NOT NULL,
            counts TEXT NOT NULL,
            options TEXT NOT NULL,
            begun_by TEXT NOT NULL,
            begun_at BIGINT NOT NULL,
            leased_until BIGINT,
            ended_at BIGINT,
            PRIMARY KEY (app_id, run_id)
        )\(.clustered)
        """
    ]
}

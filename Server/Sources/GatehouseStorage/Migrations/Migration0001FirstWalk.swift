extension Migration {
    /// Apps, their secrets and keys; members and their identities; sessions; single-use values.
    ///
    /// Indexes begin with keys that grow with time, so that new rows are added at the end. In a table with several indexes, none begins
    /// with a column that many rows share, because an engine without statistics would choose it for a lookup by another column and read
    /// all those rows.
    static let firstWalk = Migration(
        number: 1, name: "first walk",
        statements: [
            """
            CREATE TABLE apps (
                app_id TEXT NOT NULL PRIMARY KEY,
                name TEXT NOT NULL,
                status BIGINT NOT NULL,
                status_message TEXT NOT NULL,
                maintenance_begin BIGINT,
                maintenance_end BIGINT,
                maintenance_message TEXT,
                maintenance_url TEXT,
                default_language TEXT NOT NULL,
                new_guests_per_minute BIGINT NOT NULL,
                refused_proofs_per_minute BIGINT NOT NULL,
                created_at BIGINT NOT NULL
            )
            """,
            """
            CREATE TABLE app_secrets (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                secret_hash \(.bytes) NOT NULL,
                created_at BIGINT NOT NULL,
                revoked_at BIGINT,
                PRIMARY KEY (app_id, secret_hash)
            )
            """,
            """
            CREATE TABLE test_devices (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                key_thumbprint TEXT NOT NULL,
                note TEXT NOT NULL,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, key_thumbprint)
            )
            """,
            """
            CREATE TABLE signing_keys (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                key_id TEXT NOT NULL,
                sealed_key \(.bytes) NOT NULL,
                created_at BIGINT NOT NULL,
                active_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, key_id)
            )
            """,
            """
            CREATE TABLE vault_check (
                check_id BIGINT NOT NULL PRIMARY KEY,
                sealed_value \(.bytes) NOT NULL
            )
            """,
            """
            CREATE TABLE members (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                user_id TEXT NOT NULL,
                status TEXT NOT NULL,
                registered_at BIGINT NOT NULL,
                last_login_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, user_id)
            )\(.clustered)
            """,
            """
            CREATE TABLE identities (
                app_id TEXT NOT NULL,
                idp TEXT NOT NULL,
                namespace TEXT NOT NULL,
                subject TEXT NOT NULL,
                user_id TEXT NOT NULL,
                registered_at BIGINT NOT NULL,
                PRIMARY KEY (subject, namespace, idp, app_id),
                CONSTRAINT identities_one_per_idp UNIQUE (user_id, app_id, idp),
                FOREIGN KEY (app_id, user_id) REFERENCES members (app_id, user_id)
            )\(.clustered)
            """,
            """
            CREATE TABLE sessions (
                session_id TEXT NOT NULL PRIMARY KEY,
                app_id TEXT NOT NULL,
                user_id TEXT NOT NULL,
                idp TEXT NOT NULL,
                key_thumbprint TEXT NOT NULL,
                refresh_hash \(.bytes) NOT NULL,
                created_at BIGINT NOT NULL,
                last_used_at BIGINT NOT NULL,
                idle_expires_at BIGINT NOT NULL,
                expires_at BIGINT NOT NULL,
                ended_at BIGINT,
                end_reason TEXT
            )\(.clustered)
            """,
            "CREATE INDEX sessions_ended ON sessions (ended_at) WHERE ended_at IS NOT NULL",
            """
            CREATE TABLE spent_proofs (
                minute BIGINT NOT NULL,
                proof_id \(.bytes) NOT NULL,
                PRIMARY KEY (minute, proof_id)
            )\(.clustered)
            """,
            """
            CREATE TABLE idempotent_calls (
                idempotency_key TEXT NOT NULL,
                app_id TEXT NOT NULL,
                owner TEXT NOT NULL,
                request_hash \(.bytes) NOT NULL,
                sealed_outcome \(.bytes) NOT NULL,
                created_at BIGINT NOT NULL,
                PRIMARY KEY (idempotency_key, app_id, owner)
            )\(.clustered)
            """,
            "CREATE INDEX idempotent_calls_created ON idempotent_calls (created_at)",
        ])
}

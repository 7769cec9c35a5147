extension Migration {
    /// What an operator's last test of each identity provider has found.
    static let providerTests = Migration(
        number: 21, name: "tests of identity providers",
        statements: [
            """
            CREATE TABLE provider_tests (
                app_id TEXT NOT NULL REFERENCES apps (app_id),
                idp TEXT NOT NULL,
                findings TEXT NOT NULL,
                version TEXT NOT NULL,
                person TEXT NOT NULL,
                tested_at BIGINT NOT NULL,
                PRIMARY KEY (app_id, idp)
            )
            """
        ])
}

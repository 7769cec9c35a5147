extension Migration {
    /// The keys that encrypt secrets, wrapped with the master key.
    static let vaultKeys = Migration(
        number: 5, name: "vault keys",
        statements: [
            // The table has one row. The generation counts how often the keys have been wrapped.
            """
            CREATE TABLE vault_keys (
                vault_id BIGINT NOT NULL PRIMARY KEY,
                generation BIGINT NOT NULL,
                wrapped_keys \(.bytes) NOT NULL
            )
            """
        ])
}

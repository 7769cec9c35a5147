extension Migration {
    /// Attempts to sign in to the console, by keyed hashes of who makes them. All nodes count here.
    static let operatorAttempts = Migration(
        number: 45, name: "operator attempts",
        statements: [
            """
            CREATE TABLE operator_attempts (
                party_hash \(.bytes) NOT NULL PRIMARY KEY,
                attempts BIGINT NOT NULL,
                kept_until BIGINT NOT NULL
            )\(.clustered)
            """,
            "CREATE INDEX operator_attempts_end ON operator_attempts (kept_until)",
        ])
}

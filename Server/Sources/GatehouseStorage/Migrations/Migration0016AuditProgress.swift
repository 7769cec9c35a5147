extension Migration {
    /// After a crash the next start reports the changes whose audit lines may have been lost.
    static let auditProgress = Migration(
        number: 16, name: "audit progress",
        statements: [
            // The app and the members that the call has changed. These rows are kept only for minutes.
            "ALTER TABLE spent_proofs ADD COLUMN changed TEXT",
            // The moment until which each node has written every audit line. A node that stops in order leaves no row.
            """
            CREATE TABLE audit_progress (
                node TEXT NOT NULL PRIMARY KEY,
                told_until BIGINT NOT NULL
            )\(.clustered)
            """,
        ])
}

extension Migration {
    /// A provider's report that a player has turned away there is remembered, for sessions of other providers to be told.
    static let revokedIdentities = Migration(
        number: 14, name: "revoked identities",
        statements: [
            "ALTER TABLE identities ADD COLUMN revoked_at BIGINT"
        ])
}

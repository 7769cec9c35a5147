extension Migration {
    /// A provider's report that a player has revoked the consent is stored, so that sessions with other providers can be notified.
    static let revokedIdentities = Migration(
        number: 14, name: "revoked identities",
        statements: [
            "ALTER TABLE identities ADD COLUMN revoked_at BIGINT"
        ])
}

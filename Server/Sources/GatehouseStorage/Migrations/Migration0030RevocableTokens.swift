extension Migration {
    /// Whether an identity's sealed tokens can be revoked, so that a login that must keep such tokens opens only these. NULL in rows of a
    /// server of before, which are opened.
    static let revocableTokens = Migration(
        number: 30, name: "revocable tokens",
        statements: ["ALTER TABLE identity_tokens ADD COLUMN is_revocable BOOLEAN"])
}

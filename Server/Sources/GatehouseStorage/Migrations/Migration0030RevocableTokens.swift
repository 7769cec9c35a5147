extension Migration {
    /// Whether an identity's sealed tokens can be revoked (1 or 0), so that a login that must keep such tokens opens only these. NULL in
    /// rows of a server of before, which are opened. It is a number, because logins are merged by PostgreSQL's array types, and a
    /// truth value arrives there as a number.
    static let revocableTokens = Migration(
        number: 30, name: "revocable tokens",
        statements: ["ALTER TABLE identity_tokens ADD COLUMN is_revocable BIGINT"])
}

extension Migration {
    /// An operator who ends a secret key sees whether a game server still uses it.
    static let secretUses = Migration(
        number: 20, name: "uses of secret keys",
        statements: ["ALTER TABLE app_secrets ADD COLUMN last_used_at BIGINT"])
}

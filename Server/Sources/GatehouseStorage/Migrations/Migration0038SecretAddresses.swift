extension Migration {
    /// From which network address a secret key was used last. It goes when the key is revoked.
    static let secretAddresses = Migration(
        number: 38, name: "secret addresses", statements: ["ALTER TABLE app_secrets ADD COLUMN last_used_from TEXT"])
}

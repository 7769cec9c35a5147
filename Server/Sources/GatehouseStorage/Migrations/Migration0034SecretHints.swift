extension Migration {
    /// The first and the last letters of a secret key, by which an operator tells which key has leaked. Keys of before have none, because
    /// only their hashes are known.
    static let secretHints = Migration(
        number: 34, name: "secret hints", statements: ["ALTER TABLE app_secrets ADD COLUMN hint TEXT"])
}

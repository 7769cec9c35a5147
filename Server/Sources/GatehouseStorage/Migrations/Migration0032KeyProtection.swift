extension Migration {
    /// Where the key of a session's device is, as the device says with a login and with a renewal. NULL until it has said so.
    static let keyProtection = Migration(
        number: 32, name: "key protection", statements: ["ALTER TABLE sessions ADD COLUMN key_protection TEXT"])
}

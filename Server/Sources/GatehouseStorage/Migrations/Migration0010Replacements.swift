extension Migration {
    /// Lets a player keep the old session after a change of login whose response was lost.
    static let replacements = Migration(
        number: 10, name: "replacements",
        statements: [
            // The session that ends when this one is used for the first time, because its device then knows this one.
            "ALTER TABLE sessions ADD COLUMN replaces TEXT"
        ])
}

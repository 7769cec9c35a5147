extension Migration {
    /// A change of login whose answer is lost leaves the player where they were.
    static let replacements = Migration(
        number: 10, name: "replacements",
        statements: [
            // The session that ends when this one is used for the first time: by then its device knows of it.
            "ALTER TABLE sessions ADD COLUMN replaces TEXT"
        ])
}

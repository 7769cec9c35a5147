extension Migration {
    /// How many records the file of an import has. And of an import that was cut, when it went on and after how many records, because how fast
    /// it is says nothing of the time in which nobody worked at it. NULL for imports of before.
    static let importProgress = Migration(
        number: 42, name: "import progress",
        statements: [
            "ALTER TABLE import_runs ADD COLUMN records BIGINT", "ALTER TABLE import_runs ADD COLUMN resumed_at BIGINT",
            "ALTER TABLE import_runs ADD COLUMN resumed_from BIGINT",
        ])
}

extension Migration {
    /// Texts of bans that are kept for bans of before, and not used for new ones.
    static let archivedTemplates = Migration(
        number: 25, name: "archived ban templates",
        statements: ["ALTER TABLE ban_templates ADD COLUMN is_archived BOOLEAN NOT NULL DEFAULT FALSE"])
}

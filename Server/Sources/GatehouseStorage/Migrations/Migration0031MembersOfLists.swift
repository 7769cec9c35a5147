extension Migration {
    /// Indexes for the lists of banned and withdrawing members on SQLite, which looked through all members of the app: it takes an index with
    /// the app before one without, however few rows that has. PostgreSQL counts rows and takes the smaller one.
    static let membersOfLists = Migration(
        number: 31, name: "members of lists", statements: [],
        sqlite: [
            "DROP INDEX members_banned",
            "CREATE INDEX members_banned ON members (app_id, ban_id) WHERE ban_id IS NOT NULL",
            "CREATE INDEX members_withdrawing ON members (app_id, due_at, user_id) WHERE withdraws_at IS NOT NULL",
        ])
}

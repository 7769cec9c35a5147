/// The systems whose files are read. Each has one ``ImportSource``.
package enum ImportKind: String, Sendable, CaseIterable {
    case firebase, playfab, nakama, gamebase, supabase, unity

    /// The SELECT whose rows are this system's players, where they stand in tables of its own PostgreSQL.
    package var select: String? {
        switch self {
        case .nakama: NakamaQueries.users
        case .supabase: SupabaseQueries.users
        case .firebase, .playfab, .gamebase, .unity: nil
        }
    }
}

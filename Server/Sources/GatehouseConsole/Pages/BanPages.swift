/// Bans, their texts, grace bans and withdrawals.
extension Console {
    static func addBans(to pages: Pages) {}

    static let banDeeds: [DeedKind] = []
    static let banTemplates: [Template] = []
}

/// Account rules, the transfer policy, limits, keys and secrets.
extension Console {
    static func addRules(to pages: Pages) {}

    static let ruleDeeds: [DeedKind] = []
    static let ruleTemplates: [Template] = []
}

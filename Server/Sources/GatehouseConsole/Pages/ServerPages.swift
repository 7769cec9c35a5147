/// Jobs, health, audit and operators.
extension Console {
    static func addServerPages(to pages: Pages) {}

    static let serverDeeds: [DeedKind] = []
    static let serverTemplates: [Template] = []
}

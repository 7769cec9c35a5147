/// Identity providers.
extension Console {
    static func addProviders(to pages: Pages) {}

    static let providerDeeds: [DeedKind] = []
    static let providerTemplates: [Template] = []
}

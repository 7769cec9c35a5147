import GatehouseWire

extension Words {
    func languageName(_ language: String) -> String { optional("language.\(language)") ?? language }

    /// Several providers as people know them.
    func providerLabels(_ providers: some Sequence<Provider>) -> String {
        providers.map { providerLabel($0.rawValue) }.sorted().joined(separator: ", ")
    }

    /// A provider as people know it.
    func providerLabel(_ provider: String) -> String {
        optional("idp.\(provider)") ?? optional("provider.name.\(provider)") ?? provider
    }
}

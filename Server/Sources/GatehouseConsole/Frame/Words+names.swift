import GatehouseWire

extension Words {
    func languageName(_ language: String) -> String { optional("language.\(language)") ?? language }

    /// Several providers as people know them.
    func providerLabels(_ providers: some Sequence<Provider>) -> String {
        providers.map { providerLabel($0.rawValue) }.sorted().joined(separator: ", ")
    }

    /// A code as people know it, with its number second: `Banned (code 7)`.
    func named(_ code: ErrorCode) -> String {
        let number = ["code": String(code.rawValue)]
        guard let name = optional("code.\(code.rawValue)") else { return self("code.alone", number) }
        return self("code.with", number.merging(["name": name]) { $1 })
    }

    /// A code with its number first, for a cell that may be cut at its end: `7 · Banned`.
    func numbered(_ code: ErrorCode) -> String {
        optional("code.\(code.rawValue)").map { "\(code.rawValue) · \($0)" } ?? named(code)
    }

    /// A provider as people know it.
    func providerLabel(_ provider: String) -> String {
        optional("idp.\(provider)") ?? optional("provider.name.\(provider)") ?? provider
    }
}

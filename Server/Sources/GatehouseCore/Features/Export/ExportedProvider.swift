import GatehouseImport
import GatehouseProviders
import GatehouseWire

/// How an identity provider of the app stands in neutral records.
struct ExportedProvider: Sendable {
    let name: String
    /// The kind of Game Center's ids.
    let kind: String?
    /// The issuer of an OpenID provider.
    let issuer: String?

    /// - Parameter configuration: nil for a provider that the app has no longer.
    init(_ provider: Provider, _ configuration: ProviderConfiguration?) {
        name = SubjectForm.standardName(of: provider) ?? provider.rawValue
        kind = configuration?.kind == .gameCenter ? configuration?.gameCenter?.playerIds ?? "team" : nil
        issuer = (configuration?.openID?.issuer).flatMap { $0.isEmpty ? nil : $0 }
    }
}

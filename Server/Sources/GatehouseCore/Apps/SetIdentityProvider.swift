import GatehousePlatform
package import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Sets up an identity provider of an app.
package struct SetIdentityProvider: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider
    let configuration: ProviderConfiguration
    /// Nil keeps the existing ones, unless they would be sent to another address.
    let secrets: ProviderSecrets?
    /// Whether the new issuer or kind has the same persons with the same subjects.
    let samePersons: Bool

    package init(
        provider: Provider, configuration: ProviderConfiguration, secrets: ProviderSecrets? = nil,
        samePersons: Bool = false
    ) {
        self.provider = provider
        self.configuration = configuration
        self.secrets = secrets
        self.samePersons = samePersons
    }

    /// With settings and secrets in JSON, in the form of files and `FakeProviders`.
    ///
    /// - Throws: 3 for settings of another form.
    package init(
        provider: Provider, settings: JSONValue, secrets: JSONValue? = nil, samePersons: Bool = false
    ) throws {
        func read<Value: Decodable>(_ json: JSONValue, _ name: String) throws -> Value {
            do {
                return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(json))
            } catch {
                throw Refusal.parameter(name, "The \(name) are not of the form that docs/providers.md has.")
            }
        }
        try ProviderSettingsNames.check(settings)
        self.init(
            provider: provider, configuration: try read(settings, "settings"),
            secrets: try secrets.map { try read($0, "secrets") }, samePersons: samePersons)
    }

    package var audited: AuditedRun? { AuditedRun(on: .provider(provider)) }

    package func perform(_ work: Work) async throws {
        let samePersons = SamePersons(samePersons, by: work.actor)
        try await work.transact { change, tx in
            try IdentityProviderRules.set(
                provider, configuration, secrets: secrets, samePersons: samePersons, app: change.app.id,
                vault: change.vault, at: change.moment, random: change.random, in: tx)
            try change.record(.providerSet, ["idp": provider.rawValue], in: tx)
        }
    }
}

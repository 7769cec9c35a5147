import GatehouseJSON
import GatehousePlatform
package import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

/// Settings of an identity provider as the console saves them: single secrets are replaced, and the others stay.
package struct ProviderDraft: Sendable {
    package let provider: Provider
    package let configuration: ProviderConfiguration
    package let secrets: ProviderSecretChanges
    /// Whether the new issuer or kind has the same persons with the same subjects.
    package let samePersons: Bool

    package init(
        provider: Provider, configuration: ProviderConfiguration, secrets: ProviderSecretChanges, samePersons: Bool
    ) {
        self.provider = provider
        self.configuration = configuration
        self.secrets = secrets
        self.samePersons = samePersons
    }

    /// Nil keeps the existing secrets.
    ///
    /// - Throws: 3 for a secret that would stay, but would be sent to another address.
    func newSecrets(over old: ProviderConfiguration?, app: AppID, vault: KeyVault) throws -> ProviderSecrets? {
        guard !secrets.isEmpty else { return nil }
        let known = try old.map { try $0.secrets(of: provider, in: app, vault: vault) } ?? ProviderSecrets()
        if let old, old.destinations != configuration.destinations { try secrets.requireAll(of: known) }
        return try secrets.applied(to: known)
    }
}

/// Saves the settings of an identity provider of an app.
package struct SaveIdentityProvider: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let draft: ProviderDraft

    package init(_ draft: ProviderDraft) {
        self.draft = draft
    }

    package func perform(_ work: Work) async throws {
        let samePersons = SamePersons(draft.samePersons, by: work.actor)
        try await work.transact { [draft] change, tx in
            let app = change.app.id
            let old = try IdentityProviderQueries.providers(of: app, in: tx)[draft.provider]
            try IdentityProviderRules.set(
                draft.provider, draft.configuration,
                secrets: draft.newSecrets(over: old, app: app, vault: change.vault), samePersons: samePersons, app: app,
                vault: change.vault, at: change.moment, random: change.random, in: tx)
            try change.record(.providerSet, ["idp": draft.provider.rawValue], in: tx)
        }
    }
}

/// Validates settings of an identity provider without saving them, and says what is dangerous in them.
///
/// - Throws: ``Refusal`` that names the setting.
package struct CheckIdentityProvider: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let draft: ProviderDraft

    package init(_ draft: ProviderDraft) {
        self.draft = draft
    }

    package struct Outcome: Sendable {
        /// Whether secrets and questions go to another place than before.
        package let changesDestinations: Bool
        /// Whether another authority than before says who the players are.
        package let takesOver: Bool
    }

    package func perform(_ work: Work) async throws -> Outcome {
        let (app, vault) = (work.app.id, work.services.vault)
        let samePersons = SamePersons(draft.samePersons, by: work.actor)
        return try await work.services.database.read { [draft] tx in
            let old = try IdentityProviderQueries.providers(of: app, in: tx)[draft.provider]
            let new = try IdentityProviderRules.prepared(
                draft.provider, draft.configuration, over: old,
                secrets: draft.newSecrets(over: old, app: app, vault: vault), samePersons: samePersons, app: app,
                vault: vault, in: tx)
            return Outcome(
                changesDestinations: old.map { $0.destinations != new.destinations } ?? false,
                takesOver: try IdentityProviderRules.takesOver(draft.provider, new, from: old, app: app, in: tx))
        }
    }
}

/// Reads the identity providers of an app as they are now.
package struct ReadIdentityProviders: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.viewer

    package init() {}

    package func perform(_ work: Work) async throws -> [Provider: ProviderView] {
        let (app, vault) = (work.app.id, work.services.vault)
        return try await work.services.database.read { tx in try ProviderView.all(of: app, vault: vault, in: tx) }
    }
}

extension ProviderConfiguration {
    /// A short text that changes with the settings and the secrets, whether the provider is switched on or not.
    package var version: String {
        var plain = self
        plain.isEnabled = true
        let settings = (try? JSONText.sorted(plain)) ?? ""
        let secrets = plain.sealedSecrets.map { Base64URL.encode($0) } ?? ""
        return Base64URL.encode(OperatorRules.hash(of: "\(settings)\n\(secrets)").prefix(9))
    }
}

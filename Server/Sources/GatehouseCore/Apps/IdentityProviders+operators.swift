import GatehousePlatform
package import GatehouseProviders
import GatehouseSecurity
package import GatehouseStorage
package import GatehouseWire

/// An identity provider of an app, as an operator sees it.
package struct ProviderView: Sendable {
    package let provider: Provider
    package let configuration: ProviderConfiguration
    /// What may be known of each secret that is set, by its name.
    package let secrets: [String: ProviderSecretHint]
    package let lastTest: ProviderTestRecord?

    package init(
        provider: Provider, configuration: ProviderConfiguration, secrets: [String: ProviderSecretHint] = [:],
        lastTest: ProviderTestRecord? = nil
    ) {
        self.provider = provider
        self.configuration = configuration
        self.secrets = secrets
        self.lastTest = lastTest
    }
}

extension ProviderView {
    /// The identity providers of an app as they are now.
    static func all(of app: AppID, vault: KeyVault, in tx: Reader) throws -> [Provider: ProviderView] {
        let tests = try ProviderTestQueries.tests(of: app, in: tx)
        let views = try IdentityProviderQueries.providers(of: app, in: tx).map { provider, configuration in
            let hints = try configuration.secrets(of: provider, in: app, vault: vault).hints
            return (
                provider,
                ProviderView(
                    provider: provider, configuration: configuration, secrets: hints, lastTest: tests[provider])
            )
        }
        return Dictionary(views) { first, _ in first }
    }

    /// How many things the last test has found wrong. What has one cause is one thing.
    package var wrongCauses: Int { lastTest?.findings.byCause.count(where: \.isWrong) ?? 0 }

    /// Whether the last test was of the settings as they are.
    package var isTested: Bool { lastTest?.version == configuration.version }

    /// What keeps it from working, as far as the settings show it.
    package var missing: [Phrase] {
        let names = Set(secrets.keys.flatMap { [$0, $0.firstPart(at: ".")] })
        let hasRegions = configuration.regions?.isEmpty == false
        return configuration.kind.offeredSecrets
            .filter { slot in
                slot.isNeeded && !names.contains(slot.name) && !(slot.name == "clientSecret" && hasRegions)
            }
            .map { Phrase("provider.missing", ["name": .phrase(Phrase("provider.secret.\($0.name)"))]) }
    }
}

extension OperatorContext {
    /// An identity provider that is about to be changed.
    ///
    /// - Throws: ``ImpossibleAction`` for one that is not set up.
    func identityProvider(_ provider: Provider, in tx: Reader) throws -> ProviderView {
        guard let found = try ProviderView.all(of: app.id, vault: vault, in: tx)[provider] else {
            throw ImpossibleAction(phrase: "provider.not-set-up", parameter: "provider")
        }
        return found
    }
}

extension Phrase.Value {
    /// What people call a provider. One with a name of the app's own is called by that.
    package static func name(of provider: Provider) -> Phrase.Value {
        .word("provider.name.\(provider.rawValue)", or: provider.rawValue)
    }
}

extension ActionTarget {
    /// - Throws: 3 if it is no identity provider.
    func requireProvider() throws -> Provider {
        guard case .provider(let provider) = self else {
            throw Refusal.parameter("provider", "The action is about an identity provider.")
        }
        return provider
    }
}

/// Lets players log in with an identity provider that is set up.
package struct EnableIdentityProvider: OperatorAction {
    package static let about = OperatorActionAbout(
        "provider.enabled", role: .operator, step: .confirmed, section: "providers", subject: .provider,
        undo: DisableIdentityProvider.self)

    let provider: Provider

    package init(on target: ActionTarget) throws {
        provider = try target.requireProvider()
    }

    package var subject: ActionTarget { .provider(provider) }

    package init(provider: Provider) {
        self.provider = provider
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let found = try context.identityProvider(provider, in: tx)
        let test =
            !found.isTested
            ? "provider.enable.untested"
            : found.wrongCauses > 0
                ? Phrase("provider.enable.wrong", ["count": .count(found.wrongCauses)]) : "provider.enable.fine"
        var preview = Preview(
            Phrase("provider.enable.title", ["name": .name(of: provider)]),
            [Phrase("provider.enable.what", ["name": .name(of: provider)]), test] + found.missing,
            undo: "provider.enable.undo")
        preview.isDangerous = !found.isTested || found.wrongCauses > 0
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            guard try IdentityProviderRules.enable(provider, app: change.app.id, in: tx) else { return }
            try change.record(.providerEnabled, ["idp": provider.rawValue], in: tx)
        }
    }
}

/// Disables an identity provider of an app.
package struct DisableIdentityProvider: OperatorAction {
    package static let about = OperatorActionAbout(
        "provider.disabled", role: .operator, step: .fresh, section: "providers", subject: .provider,
        undo: EnableIdentityProvider.self)
    /// Upper bound on the members that a preview looks at, so that it takes no longer in an app with a million of them.
    private static let lookedAt = 10_000

    let provider: Provider

    package init(on target: ActionTarget) throws {
        provider = try target.requireProvider()
    }

    package var subject: ActionTarget { .provider(provider) }

    package init(provider: Provider) {
        self.provider = provider
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        _ = try context.identityProvider(provider, in: tx)
        let name = Phrase.Value.name(of: provider)
        let owners = try IdentityProviderQueries.soleOwners(
            of: provider, app: context.app.id, limit: Self.lookedAt, in: tx)
        let count = Phrase(
            owners.looked < Self.lookedAt ? "provider.disable.sole" : "provider.disable.sole-newest",
            ["count": .count(owners.found), "looked": .count(owners.looked), "name": name])
        var preview = Preview(
            Phrase("provider.disable.title", ["name": name]),
            [
                count, Phrase("provider.disable.logins", ["name": name]), "provider.disable.sessions",
                "provider.disable.settings",
            ], undo: "provider.disable.undo")
        preview.isDangerous = true
        return preview
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            guard try IdentityProviderRules.disable(provider, app: change.app.id, in: tx) else { return }
            try change.record(.providerDisabled, ["idp": provider.rawValue], in: tx)
        }
    }
}

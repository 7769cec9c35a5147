import GatehouseJSON
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

/// Saves the settings of an identity provider of an app.
package struct SaveIdentityProvider: OperatorAction {
    package static let about = OperatorActionAbout(
        "provider.saved", role: .operator, step: .confirmed, section: "providers", subject: .provider)

    /// What happens to the secrets.
    package enum Secrets: Sendable {
        /// Single secrets are replaced or taken away, and the others stay, unless they would be sent to another address.
        case changed(ProviderSecretChanges)
        case replaced(ProviderSecrets)
    }

    package let provider: Provider
    package let configuration: ProviderConfiguration
    let secrets: Secrets
    /// Whether the new issuer or kind has the same persons with the same subjects.
    let samePersons: Bool

    package init(
        provider: Provider, configuration: ProviderConfiguration,
        secrets: Secrets = .changed(ProviderSecretChanges()), samePersons: Bool = false
    ) {
        self.provider = provider
        self.configuration = configuration
        self.secrets = secrets
        self.samePersons = samePersons
    }

    /// With settings and secrets in JSON, in the form of files and `FakeProviders`.
    ///
    /// - Parameter secrets: nil keeps the existing ones.
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
            secrets: try secrets.map { .replaced(try read($0, "secrets")) } ?? .changed(ProviderSecretChanges()),
            samePersons: samePersons)
    }

    /// With no setting yet.
    package init(on target: ActionTarget) throws {
        let provider = try target.requireProvider()
        let empty = ProviderConfiguration(kind: ProviderKind(standardFor: provider), clientIds: [])
        self.init(provider: provider, configuration: empty)
    }

    package var subject: ActionTarget { .provider(provider) }

    /// - Throws: ``Refusal`` that names the setting.
    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let (app, vault) = (context.app.id, context.vault)
        let view = try ProviderView.all(of: app, vault: vault, in: tx)[provider]
        let old = view?.configuration
        let new = try IdentityProviderRules.prepared(
            provider, configuration, over: old,
            secrets: newSecrets(over: old, app: app, vault: vault),
            samePersons: SamePersons(samePersons, by: context.actor), app: app, vault: vault, in: tx)
        let movesSecrets = old.map { $0.destinations != new.destinations } ?? false
        let takesOver = try IdentityProviderRules.takesOver(provider, new, from: old, app: app, in: tx)
        let changes = changes(from: view)
        let name = Phrase.Value.name(of: provider)
        var consequences: [Phrase] = changes.isEmpty ? ["provider.save.nothing"] : []
        consequences.append(old?.isEnabled == true ? "provider.save.live" : "provider.save.off")
        if let old, old.keepsProfile ?? true, configuration.keepsProfile == false {
            consequences.append("provider.save.forgets")
        }
        if configuration.acceptsUnboundTokens == true { consequences.append("provider.save.unbound") }
        if movesSecrets { consequences.append("provider.save.destinations") }
        if takesOver { consequences.append(Phrase("provider.save.takes-over", ["name": name])) }
        consequences.append("provider.save.test")
        var preview = Preview(
            Phrase("provider.save.title", ["name": name]), consequences, undo: "provider.save.undo")
        preview.isDangerous = takesOver
        if movesSecrets || takesOver { preview.step = .fresh }
        if takesOver { preview.typed = provider.rawValue }
        if !changes.isEmpty {
            preview.table = Preview.Table(
                caption: "provider.changes", columns: ["provider.setting", "provider.before", "provider.after"],
                rows: changes)
        }
        return preview
    }

    package func perform(_ work: Work) async throws {
        let samePersons = SamePersons(samePersons, by: work.actor)
        try await work.transact { change, tx in
            let app = change.app.id
            let old = try IdentityProviderQueries.providers(of: app, in: tx)[provider]
            try IdentityProviderRules.set(
                provider, configuration,
                secrets: newSecrets(over: old, app: app, vault: change.vault), samePersons: samePersons, app: app,
                vault: change.vault, at: change.moment, random: change.random, in: tx)
            try change.record(.providerSet, ["idp": provider.rawValue], in: tx)
        }
    }

    /// Nil keeps the existing secrets.
    ///
    /// - Throws: 3 for a secret that would stay, but would be sent to another address.
    private func newSecrets(over old: ProviderConfiguration?, app: AppID, vault: KeyVault) throws -> ProviderSecrets? {
        switch secrets {
        case .replaced(let secrets): return secrets
        case .changed(let changes) where changes.isEmpty: return nil
        case .changed(let changes):
            let known = try old.map { try $0.secrets(of: provider, in: app, vault: vault) } ?? ProviderSecrets()
            if let old, old.destinations != configuration.destinations { try changes.requireAll(of: known) }
            return try changes.applied(to: known)
        }
    }
}

extension SaveIdentityProvider.Secrets {
    /// The names of those that are given, and of those that are taken away.
    fileprivate var names: (replaced: Set<String>, removed: Set<String>) {
        switch self {
        case .changed(let changes): (Set(changes.values.keys), changes.removed)
        case .replaced(let secrets): (Set(secrets.hints.keys), [])
        }
    }
}

extension SaveIdentityProvider {
    /// What differs from the settings as they are, as rows of setting, before and after. Of a secret only the fact is told.
    fileprivate func changes(from view: ProviderView?) -> [[Preview.Cell]] {
        let (old, new) = (view?.configuration.settingTexts ?? [:], configuration.settingTexts)
        var rows: [[Preview.Cell]] = []
        for setting in configuration.kind.offeredSettings.sorted(by: { $0.name < $1.name })
        where setting.name != "origin" && old[setting.name] != new[setting.name] {
            func cell(_ text: String?) -> Preview.Cell {
                guard let text else { return .value(.text("–")) }
                if setting.form == .flag { return .text(text.isEmpty ? "provider.no" : "provider.yes") }
                return .value(.text(text.count > 200 ? "\(text.prefix(199))…" : text))
            }
            rows.append([
                .text(Phrase("provider.set.\(setting.name)")), cell(old[setting.name]), cell(new[setting.name]),
            ])
        }
        let (replaced, removed) = secrets.names
        for name in removed.subtracting(replaced).sorted() + replaced.sorted() {
            let isSet = view?.secrets.keys.contains { $0 == name || $0.begins(with: "\(name).") } ?? false
            rows.append([
                label(ofSecret: name), .text(isSet ? "provider.secret.is-set" : "provider.secret.not-set"),
                .text(replaced.contains(name) ? "provider.secret.is-changed" : "provider.secret.is-removed"),
            ])
        }
        return rows
    }

    /// What people call a secret. One of several pairs has its own name below.
    private func label(ofSecret name: String) -> Preview.Cell {
        let group = name.firstPart(at: ".")
        guard group != name, !configuration.kind.offeredSecrets.contains(where: { $0.name == name }) else {
            return .text(Phrase("provider.secret.\(name)"))
        }
        return .text(
            Phrase("provider.secret.\(group)"), note: .verbatim(String(name.utf8.dropFirst(group.utf8.count + 1)) ?? "")
        )
    }
}

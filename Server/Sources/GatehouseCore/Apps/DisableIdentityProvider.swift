package import GatehouseStorage
package import GatehouseWire

/// Disables an identity provider of an app.
package struct DisableIdentityProvider: OperatorAction {
    package static let about = OperatorActionAbout(
        "provider.disabled", role: .operator, step: .fresh, section: "providers", subject: .provider,
        undo: EnableIdentityProvider.self)
    /// Upper bound on the members that a preview looks at, so that it takes no longer in an app with a million of them.
    private static let lookedAt = 10_000

    let provider: Provider

    package init(on target: DeedTarget) throws {
        provider = try target.requireProvider()
    }

    package var subject: DeedTarget { .provider(provider) }

    package init(provider: Provider) {
        self.provider = provider
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        _ = try view.identityProvider(provider, in: tx)
        let name = Phrase.Value.name(of: provider)
        let owners = try IdentityProviderQueries.soleOwners(
            of: provider, app: view.app, limit: Self.lookedAt, in: tx)
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

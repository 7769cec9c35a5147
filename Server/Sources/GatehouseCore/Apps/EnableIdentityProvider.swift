package import GatehouseStorage
package import GatehouseWire

/// Lets players log in with an identity provider that is set up.
package struct EnableIdentityProvider: OperatorAction {
    package static let about = OperatorActionAbout(
        "provider.enabled", role: .operator, step: .confirmed, section: "providers", subject: .provider,
        undo: DisableIdentityProvider.self)

    let provider: Provider

    package init(on target: DeedTarget) throws {
        provider = try target.requireProvider()
    }

    package var subject: DeedTarget { .provider(provider) }

    package init(provider: Provider) {
        self.provider = provider
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let found = try view.identityProvider(provider, in: tx)
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

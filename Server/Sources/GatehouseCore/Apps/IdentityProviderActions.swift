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
    /// Nil keeps the existing ones.
    let secrets: ProviderSecrets?
    /// Whether the new issuer or kind has the same persons with the same subjects.
    let samePersons: Bool

    package init(
        provider: Provider, configuration: ProviderConfiguration, secrets: ProviderSecrets?, samePersons: Bool
    ) {
        self.provider = provider
        self.configuration = configuration
        self.secrets = secrets
        self.samePersons = samePersons
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            try IdentityProviderRules.set(
                provider, configuration, secrets: secrets, samePersons: samePersons, app: change.app.id,
                vault: change.vault, at: change.moment, random: change.random, in: tx)
            try change.record(.providerSet, ["idp": provider.rawValue], in: tx)
        }
    }
}

/// Disables an identity provider of an app.
package struct DisableIdentityProvider: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider

    package init(provider: Provider) {
        self.provider = provider
    }

    package func perform(_ work: Work) async throws {
        try await work.transact { change, tx in
            guard try IdentityProviderRules.disable(provider, app: change.app.id, in: tx) else { return }
            try change.record(.providerDisabled, ["idp": provider.rawValue], in: tx)
        }
    }
}

/// Checks with an identity provider that it knows an app's settings, by the first steps of a login.
package struct TestIdentityProvider: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let provider: Provider
    /// The address at which players reach the server. The provider knows the callback under this address.
    let publicURL: String

    package init(provider: Provider, publicURL: String) {
        self.provider = provider
        self.publicURL = publicURL
    }

    package func perform(_ work: Work) async throws -> [ProviderFinding] {
        let app = work.app
        guard let configuration = app.providers[provider] else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
        let regions: [String?] =
            (configuration.clientIds.isEmpty ? [] : [nil]) + (configuration.regions ?? [:]).keys.sorted()
        var findings: [ProviderFinding] = []
        for region in regions {
            do {
                let found = try await self.findings(of: region, configuration, work)
                findings += found.map { finding in
                    region.map { .init(isFine: finding.isFine, text: "\($0): \(finding.text)") } ?? finding
                }
            } catch let failure as IdentityFailure {
                findings.append(.wrong(failure.words))
            }
        }
        return findings
    }

    private func findings(
        of region: String?, _ configuration: ProviderConfiguration, _ work: Work
    ) async throws -> [ProviderFinding] {
        let outages = ProviderTest.Outages()
        let providers = ProviderVerification(
            environment: work.services.environment, vault: work.services.vault, onOutage: outages.add)
        let client = try providers.client(for: provider, configuration, region: region, in: work.app.id)
        let callback =
            configuration.callbackURL ?? publicURL
            + Endpoints.path(Endpoints.callback, of: provider, app: work.app.id)
        return await ProviderTest(
            client: client, providers: providers, outages: outages, callback: callback, moment: work.moment
        ).findings()
    }
}

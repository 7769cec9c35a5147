package import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
package import GatehouseWire

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
        let (app, provider) = (work.app.id, provider)
        // The settings may have been saved a moment ago, and the cached app is up to a second old.
        let known = try await work.services.database.read { tx in
            try IdentityProviderQueries.providers(of: app, in: tx)[provider]
        }
        guard var configuration = known else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
        let version = configuration.version
        // What is switched off is tested before players see it.
        configuration.isEnabled = true
        let regions: [String?] =
            (configuration.clientIds.isEmpty ? [] : [nil]) + (configuration.regions ?? [:]).keys.sorted()
        var findings: [ProviderFinding] = []
        for region in regions {
            do {
                findings += try await self.findings(of: region, configuration, work).map { $0.of(region) }
            } catch let failure as IdentityFailure {
                findings.append(.wrong("settings.wrong", failure.words, ["why": failure.words]).of(region))
            }
        }
        guard work.actor.deed != nil else { return findings }
        let found = findings
        try await work.transact { change, tx in
            let test = ProviderTestRecord(
                findings: found, version: version, person: change.origin.name ?? "", date: change.moment)
            try ProviderTestQueries.set(test, of: provider, app: app, in: tx)
        }
        return findings
    }

    private func findings(
        of region: String?, _ configuration: ProviderConfiguration, _ work: Work
    ) async throws -> [ProviderFinding] {
        let observations = ProviderObservations()
        let providers = ProviderVerification(
            environment: observations.watching(work.services.environment), vault: work.services.vault,
            onOutage: observations.add)
        let client = try providers.client(for: provider, configuration, region: region, in: work.app.id)
        let callback =
            configuration.callbackURL ?? publicURL
            + Endpoints.path(Endpoints.callback, of: provider, app: work.app.id)
        return await ProviderTest(
            client: client, providers: providers, observations: observations, callback: callback, moment: work.moment
        ).findings()
    }
}

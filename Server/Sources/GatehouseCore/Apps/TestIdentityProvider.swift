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
        let (configuration, version) = try await work.testedSettings(of: provider)
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
        let callback = configuration.callback(of: provider, in: work.app.id, at: publicURL)
        return try await work.test(of: provider, configuration, region: region, callback: callback).findings()
    }
}

extension Work {
    /// The saved settings of a provider as they would be if it was on, because what is switched off is tested before players see it.
    ///
    /// - Returns: the settings, and the version of the saved ones.
    /// - Throws: 3 for a provider that the app does not have.
    func testedSettings(of provider: Provider) async throws -> (ProviderConfiguration, version: String) {
        let app = app.id
        // The settings may have been saved a moment ago, and the cached app is up to a second old.
        let known = try await services.database.read { tx in
            try IdentityProviderQueries.providers(of: app, in: tx)[provider]
        }
        guard var configuration = known else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
        let version = configuration.version
        configuration.isEnabled = true
        return (configuration, version)
    }

    /// A test asks the provider itself, and nothing that logins remember of it.
    ///
    /// - Throws: ``IdentityFailure``.
    func test(
        of provider: Provider, _ configuration: ProviderConfiguration, region: String?, callback: String
    ) throws -> ProviderTest {
        let observations = ProviderObservations()
        let providers = ProviderVerification(
            environment: observations.watching(services.environment), vault: services.vault,
            onOutage: observations.add)
        return ProviderTest(
            client: try providers.client(for: provider, configuration, region: region, in: app.id),
            providers: providers, observations: observations, callback: callback, moment: moment,
            mostSeconds: services.environment.providerSeconds)
    }
}

extension ProviderConfiguration {
    /// The address to which the provider sends browsers back.
    ///
    /// - Parameter origin: the address at which players reach the server.
    func callback(of provider: Provider, in app: AppID, at origin: String) -> String {
        callbackURL ?? origin + Endpoints.path(Endpoints.callback, of: provider, app: app)
    }
}

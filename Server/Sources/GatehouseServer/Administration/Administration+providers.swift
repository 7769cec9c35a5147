public import GatehouseProviders
import GatehouseSecurity
import GatehouseStorage
public import GatehouseWire

/// An identity provider of an app, for operators.
public struct ProviderReport: Sendable, Hashable {
    public let provider: Provider
    public let kind: ProviderKind
    public let isEnabled: Bool
    public let clientIds: [String]
    /// The kinds of credentials that are accepted.
    public let ways: [String]
    /// The path of the callback for browser logins, relative to the server's public address; or the address that the operator has set.
    public let callback: String?
}

extension Administration {
    public func identityProviderReports(of id: AppID) async throws -> [ProviderReport] {
        try await identityProviders(of: id).sorted { $0.key.rawValue < $1.key.rawValue }.map {
            provider, configuration in
            let description = configuration.description
            var ways: [String] = []
            if description.authorization != nil { ways.append("browser") }
            if description.openID != nil { ways.append("id-token") }
            let isUsable = description.namesAudience || configuration.acceptsUnboundTokens ?? false
            if !description.checks.isEmpty, isUsable { ways.append("access-token") }
            if description.isGameCenter { ways.append("proof") }
            let path = Endpoints.path(Endpoints.callback, of: provider, app: id)
            return ProviderReport(
                provider: provider, kind: configuration.kind, isEnabled: configuration.isEnabled,
                clientIds: configuration.clientIds
                    + (configuration.regions ?? [:]).values.flatMap(\.clientIds).sorted(),
                ways: ways, callback: description.authorization == nil ? nil : configuration.callbackURL ?? path)
        }
    }

    /// Checks with the provider that it knows an app's settings, by the first steps of a login.
    ///
    /// - Parameter publicURL: the address at which players reach the server. The provider knows the callback under this address.
    public func testIdentityProvider(
        _ provider: Provider, of id: AppID, publicURL: String = "http://127.0.0.1:8080"
    ) async throws -> [ProviderFinding] {
        guard let app = try await database.read({ tx in try AppQueries.app(id, in: tx) }) else {
            throw AppRules.unknownApp
        }
        let moment = environment.now()
        let outages = ProviderTest.Outages()
        let providers = IdentityProviders(environment: environment, vault: vault, onOutage: outages.add)
        guard let configuration = app.providers[provider] else {
            throw Refusal.parameter("idp", "The app has no such identity provider.")
        }
        let regions: [String?] =
            (configuration.clientIds.isEmpty ? [] : [nil]) + (configuration.regions ?? [:]).keys.sorted()
        var findings: [ProviderFinding] = []
        for region in regions {
            do {
                let client = try providers.client(for: provider, region: region, in: app)
                let callback =
                    configuration.callbackURL ?? publicURL + Endpoints.path(Endpoints.callback, of: provider, app: id)
                let test = ProviderTest(
                    client: client, providers: providers.verification, outages: outages, callback: callback,
                    moment: moment)
                let found = await test.findings()
                findings += found.map { finding in
                    region.map { .init(isFine: finding.isFine, text: "\($0): \(finding.text)") } ?? finding
                }
            } catch let failure as IdentityFailure {
                findings.append(.wrong(failure.words))
            }
        }
        return findings
    }
}

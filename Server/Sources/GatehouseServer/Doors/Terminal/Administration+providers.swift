import GatehouseCore
import GatehousePlatform
public import GatehouseProviders
import GatehouseSecurity
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
        try await run(TestIdentityProvider(provider: provider, publicURL: publicURL), on: id)
    }

    public func identityProviders(of id: AppID) async throws -> [Provider: ProviderConfiguration] {
        try await run(ReadApp(), on: id).providers
    }

    public func setIdentityProvider(
        _ provider: Provider, _ configuration: ProviderConfiguration, secrets: ProviderSecrets? = nil,
        samePersons: Bool = false, of id: AppID
    ) async throws {
        try await run(
            SetIdentityProvider(
                provider: provider, configuration: configuration, secrets: secrets, samePersons: samePersons), on: id)
    }

    /// Sets an identity provider from JSON, in the format of files and `FakeProviders`.
    public func setIdentityProvider(
        _ provider: Provider, settings: JSONValue, secrets: JSONValue? = nil, samePersons: Bool = false, of id: AppID
    ) async throws {
        func read<Value: Decodable>(_ json: JSONValue, _ name: String) throws -> Value {
            do {
                return try JSONDecoder().decode(Value.self, from: JSONEncoder().encode(json))
            } catch {
                throw Refusal.parameter(name, "The \(name) are not of the form that docs/providers.md has.")
            }
        }
        try ProviderSettingsNames.check(settings)
        try await setIdentityProvider(
            provider, read(settings, "settings"), secrets: secrets.map { try read($0, "secrets") },
            samePersons: samePersons, of: id)
    }

    public func disableIdentityProvider(_ provider: Provider, of id: AppID) async throws {
        try await run(DisableIdentityProvider(provider: provider), on: id)
    }
}

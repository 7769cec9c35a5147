package import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// Calls one provider for one app: its description with the operator's settings, in one region.
package struct ProviderClient: Sendable {
    package let provider: Provider
    package let app: AppID
    package let configuration: ProviderConfiguration
    package let description: ProviderDescription
    package private(set) var secrets: ProviderSecrets
    /// The first is the client id that the server itself uses.
    package private(set) var clientIds: [String]
    package let namespace: String
    package let gateway: ProviderGateway
    package let discovery: Discovery
    package let random: RandomSource

    /// The dependencies that all clients of a server share.
    package struct Surroundings: Sendable {
        package let vault: KeyVault
        package let gateway: ProviderGateway
        package let discovery: Discovery
        package let random: RandomSource
    }

    /// - Throws: ``IdentityFailure``.
    package init(
        _ provider: Provider, _ configuration: ProviderConfiguration?, region: String?, in app: AppID,
        _ surroundings: Surroundings
    ) throws {
        guard let configuration, configuration.isEnabled else {
            throw IdentityFailure.notConfigured
        }
        self.provider = provider
        self.app = app
        self.configuration = configuration
        gateway = surroundings.gateway
        discovery = surroundings.discovery
        random = surroundings.random
        description = configuration.description
        var secrets = try configuration.secrets(of: provider, in: app, vault: surroundings.vault)
        // A region is a separate channel with separate persons.
        if let region {
            guard let channel = configuration.regions?[region] else { throw IdentityFailure.incomplete("region") }
            clientIds = channel.clientIds
            secrets.clientSecret = secrets.regions?[region]
            namespace = [configuration.namespace, region].compactMap(\.self).joined(separator: "/")
        } else {
            clientIds = configuration.clientIds
            namespace = configuration.namespace ?? ""
        }
        guard !clientIds.isEmpty else { throw IdentityFailure.incomplete("region") }
        self.secrets = secrets
    }

    /// A copy that uses the client id to which something was issued. A game's app and its web page may have different ones.
    package func speaking(as clientId: String?) -> ProviderClient {
        guard let clientId, clientIds.contains(clientId) else { return self }
        var client = self
        client.clientIds = [clientId] + clientIds.filter { $0 != clientId }
        return client
    }

    /// A copy with other secrets and ids, with which a test finds out what the provider looks at.
    func replacing(_ secrets: ProviderSecrets, clientIds: [String]) -> ProviderClient {
        var client = self
        client.secrets = secrets
        client.clientIds = clientIds
        return client
    }

    /// The identity of a person whom the provider names so.
    package func identity(_ subject: String) -> IdentityKey {
        IdentityKey(provider: provider, namespace: namespace, subject: subject)
    }

    /// The values of placeholders in the provider's calls, including a partner's secrets by name.
    package var values: CallValues {
        var texts = (secrets.values ?? [:]).mapValues(\.secretValue)
        texts["clientId"] = clientIds.first
        texts["clientSecret"] = secrets.clientSecret?.secretValue
        texts["adminKey"] = secrets.adminKey?.secretValue
        return CallValues(texts: texts, origin: configuration.origin)
    }

    package func values(token: ProviderToken) -> CallValues {
        var values = values
        values["token"] = token.secretValue
        for (name, value) in description.oddities.tokenValues?(token, secrets) ?? [:] { values[name] = value }
        return values
    }

    /// Makes a call and parses its response.
    ///
    /// - Throws: ``IdentityFailure``.
    package func answer(to call: ProviderCall, _ values: inout CallValues) async throws -> StrictJSON.Value {
        let answer = try await answer(to: try call.request(values))
        for (path, expected) in call.success where answer.at(path)?.text != expected {
            throw IdentityFailure.rejected("the provider does not confirm it")
        }
        for (name, path) in call.captures {
            guard let value = answer.at(path)?.text, !value.isEmpty else {
                throw IdentityFailure.rejected("the provider's answer lacks \(path)")
            }
            values[name] = value
        }
        return answer
    }

    /// Returns a response with JSON.
    ///
    /// - Parameter isAuthenticated: whether the request contains the client's credentials.
    package func answer(to request: OutgoingRequest, isAuthenticated: Bool = false) async throws -> StrictJSON.Value {
        let response = try await fetch(request)
        guard (200...299).contains(response.status) else {
            let failure = failure(response, isAuthenticated: isAuthenticated)
            if failure == .unavailable { gateway.note("it answers \(response.status)", at: request.url, of: share) }
            throw failure
        }
        // A page with status 200 is not the provider's own response. It may come from a proxy.
        guard let answer = try? StrictJSON.parse(response.body), case .object = answer else {
            gateway.note("it answers \(response.status) without JSON", at: request.url, of: share)
            throw IdentityFailure.unavailable
        }
        return answer
    }

    package func fetch(_ request: OutgoingRequest) async throws -> OutgoingResponse {
        try await gateway.fetch(request, of: share)
    }

    package var share: ProviderGateway.Share {
        .init(app: app, provider: provider, trustedCertificates: configuration.trustedAuthorities)
    }

    /// Interprets a refusal (RFC 6749 section 5.2).
    package func failure(_ response: OutgoingResponse, isAuthenticated: Bool) -> IdentityFailure {
        let proof = signsAssertions ? "private key" : "secret"
        let refused = IdentityFailure.misconfigured("the provider refuses the app's client id, \(proof) or callback")
        switch (try? StrictJSON.parse(response.body))?["error"]?.string {
        case "invalid_client", "unauthorized_client", "redirect_uri_mismatch": return refused
        // The provider's own failure says nothing about the player.
        case "server_error", "temporarily_unavailable": return .unavailable
        default: break
        }
        switch response.status {
        // Here the client is refused, regardless of the body. A later attempt may have other settings.
        case 401 where isAuthenticated: return refused
        case 400, 401, 403, 404: return .rejected("the provider refuses it")
        default: return .unavailable
        }
    }

    /// The discovery document of an `openid` provider, for what the operator has not set.
    ///
    /// - Parameter need: what the document is read for.
    package func endpoints(needing need: Discovery.Need = []) async throws -> Discovery.Document? {
        guard let issuer = configuration.openID?.issuer, !issuer.isEmpty else { return nil }
        let isChosen = configuration.clientAuthentication != nil || possibleMethods.isEmpty
        let client = Discovery.Client(
            methods: isChosen ? nil : possibleMethods, takesAlgorithms: description.openID?.algorithms == nil)
        return try await discovery.document(
            of: issuer, at: configuration.origin, of: share, for: client, needing: need)
    }
}

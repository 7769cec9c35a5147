import Foundation
package import GatehouseJSON
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
        let refused = IdentityFailure.misconfigured("the provider refuses the app's client id, secret or callback")
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

extension ProviderClient {
    /// The endpoints at which a client authenticates itself.
    package enum AuthenticatedEndpoint {
        case token, revocation
    }

    /// How this client authenticates: by the operator's setting, by the documentation of the provider's kind, or by the discovery
    /// document.
    ///
    /// - Throws: ``IdentityFailure``.
    package func authentication(at endpoint: AuthenticatedEndpoint, moment: Moment) async throws -> ClientAuthentication
    {
        let flow = description.authorization
        if let makeSecret = description.oddities.clientSecret {
            guard let client = clientIds.first else { throw IdentityFailure.misconfigured("it has no client secret") }
            return .secretInForm(try makeSecret(secrets, client, moment))
        }
        let method = try await method(at: endpoint)
        switch method {
        case .publicClient:
            guard !(flow?.needsSecret ?? false) else { throw IdentityFailure.misconfigured("it has no client secret") }
            return .publicClient
        case .secretPost, .secretBasic:
            guard let secret = secrets.clientSecret else {
                throw IdentityFailure.misconfigured("it has no client secret, which \(method.rawValue) needs")
            }
            return method == .secretPost ? .secretInForm(secret) : .secretInHeader(secret)
        case .privateKeyJWT:
            guard let key = secrets.clientKey else {
                throw IdentityFailure.misconfigured("it has no client key, which \(method.rawValue) needs")
            }
            let audience = try await endpoints()?.tokenURL ?? configuration.openID?.issuer ?? ""
            return .assertion(ClientAssertion(key: key, audience: audience, random: random))
        }
    }

    /// The methods for which the client has a secret or a key, the safest first.
    private var possibleMethods: [ClientAuthenticationMethod] {
        (secrets.clientKey == nil ? [] : [.privateKeyJWT])
            + (secrets.clientSecret == nil ? [] : [.secretBasic, .secretPost])
    }

    private func method(at endpoint: AuthenticatedEndpoint) async throws -> ClientAuthenticationMethod {
        if let chosen = configuration.clientAuthentication {
            guard endpoint == .revocation, chosen != .publicClient,
                let offered = try? await endpoints()?.revocationAuthentication, !offered.contains(chosen.rawValue)
            else { return chosen }
            // The operator has chosen for the token endpoint, and the document says that the other one takes others.
            guard let other = possibleMethods.first(where: { offered.contains($0.rawValue) }) else {
                let words = offered.prefix(8).map { VisibleText.escaping($0) }.joined(separator: ", ")
                throw IdentityFailure.misconfigured(
                    "the provider's revocation endpoint authenticates clients by \(words) only")
            }
            return other
        }
        if let fixed = description.authorization?.authentication {
            return secrets.clientSecret == nil ? .publicClient : fixed
        }
        guard let first = possibleMethods.first else { return .publicClient }
        guard let offered = try await offeredMethods(at: endpoint) else { return first }
        guard let method = possibleMethods.first(where: { offered.contains($0.rawValue) }) else {
            let words = offered.prefix(8).map { VisibleText.escaping($0) }.joined(separator: ", ")
            throw IdentityFailure.misconfigured("the provider authenticates clients by \(words) only")
        }
        return method
    }

    /// The methods in the discovery document. Nil if it names none: then OpenID Connect's default applies, which is HTTP Basic for a
    /// client with a secret.
    private func offeredMethods(at endpoint: AuthenticatedEndpoint) async throws -> [String]? {
        switch endpoint {
        case .token: return try await endpoints(needing: .authentication)?.tokenAuthentication
        case .revocation:
            // If the operator has set the endpoint, there may be no discovery document.
            let document = configuration.openID?.revocationURL == nil ? try await endpoints() : try? await endpoints()
            return document?.revocationAuthentication ?? document?.tokenAuthentication
        }
    }
}

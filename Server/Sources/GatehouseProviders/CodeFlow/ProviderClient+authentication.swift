package import GatehouseSecurity

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
    var possibleMethods: [ClientAuthenticationMethod] {
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

import GatehouseJSON
package import GatehousePlatform
package import GatehouseSecurity

/// The discovery documents of OpenID Connect providers (OpenID Connect Discovery 1.0).
package struct Discovery: Sendable {
    package struct Document: Sendable, Hashable {
        package let issuer: String
        package let keysURL: String
        package let authorizationURL: String?
        package let tokenURL: String?
        package let revocationURL: String?
        package let namesIssuer: Bool
        /// How clients authenticate at the token endpoint; nil if the document doesn't say.
        package let tokenAuthentication: [String]?
        /// How clients authenticate at the revocation endpoint (RFC 8414 section 2).
        package let revocationAuthentication: [String]?
        /// The algorithms with which ID tokens are signed.
        package let signingAlgorithms: [String]?
    }

    /// What a client needs of a document, for one of its ways or for another.
    package struct Need: OptionSet, Sendable, Hashable {
        package let rawValue: Int

        package init(rawValue: Int) { self.rawValue = rawValue }

        /// ID tokens are signed with an algorithm that is known here.
        package static let algorithm = Need(rawValue: 1)
        /// There are a page and a token endpoint.
        package static let page = Need(rawValue: 2)
        /// The token endpoint takes a method by which the client can authenticate.
        package static let authentication = Need(rawValue: 4)
    }

    /// A client as far as it matters for documents: those of two such clients are kept apart, because one may do for the first alone.
    package struct Client: Sendable, Hashable {
        /// The methods between which the document decides; nil if it decides nothing.
        package let methods: [ClientAuthenticationMethod]?
        /// Whether the document says with what ID tokens are signed.
        package let takesAlgorithms: Bool

        package init(methods: [ClientAuthenticationMethod]? = nil, takesAlgorithms: Bool = true) {
            self.methods = methods
            self.takesAlgorithms = takesAlgorithms
        }

        package func needs(servedBy document: Document) -> Need {
            var needs: Need = []
            let isKnown =
                document.signingAlgorithms?.contains(where: OpenIDVerifier.supportedAlgorithms.contains) ?? true
            if !takesAlgorithms || isKnown { needs.insert(.algorithm) }
            if document.authorizationURL != nil, document.tokenURL != nil { needs.insert(.page) }
            let isOffered = methods.map { methods in
                document.tokenAuthentication.map { $0.contains { methods.map(\.rawValue).contains($0) } } ?? true
            }
            if isOffered ?? true { needs.insert(.authentication) }
            return needs
        }

        fileprivate var name: String {
            "\(takesAlgorithms) \(methods.map { $0.map(\.rawValue).joined(separator: " ") } ?? "")"
        }
    }

    private let documents: CachedDocuments<Document>

    package init(environment: ServerEnvironment, gateway: ProviderGateway) {
        documents = CachedDocuments(environment: environment, gateway: gateway, read: { Self.read($0) })
    }

    /// A document is judged before it replaces another: one that no longer serves the client as the last one did leaves that one in its
    /// place. One that does not do for what is asked is fetched again, a limited number of times.
    ///
    /// - Throws: ``IdentityFailure/misconfigured(_:)`` if the document's issuer is not exactly this one (IDP-6).
    package func document(
        of issuer: String, at origin: String?, of share: ProviderGateway.Share, for client: Client = Client(),
        needing need: Need = []
    ) async throws -> Document {
        let base = issuer.ends(with: "/") ? String(issuer.dropLast()) : issuer
        let url = CallValues.place("\(base)/.well-known/openid-configuration", at: origin)
        return try await documents.document(
            .init(
                url: url, share: share, owner: "\(issuer) \(client.name)",
                check: { (document) throws(IdentityFailure) in
                    guard document.issuer.isExactly(issuer) else {
                        throw .misconfigured("the discovery document is another issuer's")
                    }
                }, isWorse: { !client.needs(servedBy: $0).isSuperset(of: client.needs(servedBy: $1)) },
                isEnough: { client.needs(servedBy: $0).isSuperset(of: need) }))
    }

    /// Nil for a document with an address that is not https, because a player's browser would follow it.
    package static func read(_ body: Data) -> Document? {
        guard let json = try? StrictJSON.parse(body), let issuer = json["issuer"]?.string,
            let keysURL = json["jwks_uri"]?.string
        else { return nil }
        let names = ["authorization_endpoint", "token_endpoint", "revocation_endpoint"]
        let places = names.map { json[$0]?.string }
        guard (places + [keysURL]).allSatisfy({ $0.map(OutgoingRequest.isAllowed) ?? true }) else { return nil }
        return Document(
            issuer: issuer, keysURL: keysURL, authorizationURL: places[0], tokenURL: places[1],
            revocationURL: places[2],
            namesIssuer: json["authorization_response_iss_parameter_supported"]?.text == "true",
            tokenAuthentication: json["token_endpoint_auth_methods_supported"]?.list,
            revocationAuthentication: json["revocation_endpoint_auth_methods_supported"]?.list,
            signingAlgorithms: json["id_token_signing_alg_values_supported"]?.list?.map(ProviderKey.algorithm(named:)))
    }
}

extension StrictJSON.Value {
    /// The strings of an array; nil if the value is not an array, or is empty.
    fileprivate var list: [String]? {
        guard case .array(let values) = self else { return nil }
        let strings = values.compactMap(\.string)
        return strings.isEmpty ? nil : strings
    }
}

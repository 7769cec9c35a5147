package import Foundation
import GatehouseJSON
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

    private let documents: CachedDocuments<Document>

    package init(environment: ServerEnvironment, gateway: ProviderGateway) {
        documents = CachedDocuments(environment: environment, gateway: gateway, read: { Self.read($0) })
    }

    /// - Throws: ``IdentityFailure/misconfigured(_:)`` if the document's issuer is not exactly this one (IDP-6).
    package func document(
        of issuer: String, at origin: String?, of share: ProviderGateway.Share
    ) async throws -> Document {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let url = CallValues.place("\(base)/.well-known/openid-configuration", at: origin)
        return try await documents.document(
            .init(
                url: url, share: share, owner: issuer,
                check: { (document) throws(IdentityFailure) in
                    guard document.issuer.isExactly(issuer) else {
                        throw .misconfigured("the discovery document is another issuer's")
                    }
                }))
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
            signingAlgorithms: json["id_token_signing_alg_values_supported"]?.list)
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

import Foundation

/// What OpenID Connect providers tell of themselves (OpenID Connect Discovery 1.0).
struct Discovery: Sendable {
    struct Document: Sendable, Hashable {
        let issuer: String
        let keysURL: String
        let authorizationURL: String?
        let tokenURL: String?
        let revocationURL: String?
        let namesIssuer: Bool
    }

    private let documents: CachedDocuments<Document>

    init(environment: ServerEnvironment) {
        documents = CachedDocuments(environment: environment, read: Self.read)
    }

    /// - Throws: ``IdentityFailure/misconfigured(_:)`` when the document is another issuer's, letter for letter (IDP-6).
    func document(of issuer: String, at origin: String?) async throws -> Document {
        let base = issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer
        let document = try await documents.document(
            at: CallValues.place("\(base)/.well-known/openid-configuration", at: origin))
        guard document.issuer == issuer else {
            throw IdentityFailure.misconfigured("the discovery document is another issuer's")
        }
        return document
    }

    private static func read(_ body: Data) -> Document? {
        guard let json = try? StrictJSON.parse(body), let issuer = json["issuer"]?.string,
            let keysURL = json["jwks_uri"]?.string
        else { return nil }
        return Document(
            issuer: issuer, keysURL: keysURL, authorizationURL: json["authorization_endpoint"]?.string,
            tokenURL: json["token_endpoint"]?.string, revocationURL: json["revocation_endpoint"]?.string,
            namesIssuer: json["authorization_response_iss_parameter_supported"]?.text == "true")
    }
}

import GatehousePlatform
import GatehouseWire

/// The provider's page at which a player logs in (RFC 6749 section 4.1.1).
package struct AuthorizationPage: Sendable {
    let client: ProviderClient
    /// The scopes that replace the description's.
    let scopes: [String]?
    /// The parameters of the page besides those of the flow.
    let parameters: [String: String]
    /// Whether the provider must ask for an account and its password again.
    let reauthenticates: Bool

    /// - Parameter info: what the game's call and the operator's settings make of the page.
    /// - Throws: ``Refusal``; ``IdentityFailure/misconfigured(_:)`` for what the operator has stored.
    package init(of client: ProviderClient, _ info: AdditionalInfo? = nil, reauthenticates: Bool = false) throws {
        self.client = client
        scopes = try info?.scopes()
        parameters = try info?.parameters() ?? [:]
        self.reauthenticates = reauthenticates
    }

    /// The address to which the player's browser is sent.
    ///
    /// - Throws: ``IdentityFailure``.
    package func url(for login: CodeLogin) async throws -> String {
        let endpoints = try await AuthorizationEndpoints(of: client)
        let flow = endpoints.flow
        guard let clientId = client.clientIds.first else { throw IdentityFailure.misconfigured("it has no client id") }
        var query = flow.parameters.merging(parameters) { $1 }
        if reauthenticates { query.merge(flow.reauthentication) { $1 } }
        query["response_type"] = "code"
        query["client_id"] = clientId
        query["redirect_uri"] = login.redirectUri
        query["state"] = login.state
        let scopes = scopes ?? flow.scopes
        if !scopes.isEmpty { query["scope"] = scopes.joined(separator: flow.scopeSeparator) }
        if client.description.openID != nil { query["nonce"] = login.nonce }
        if flow.usesPKCE, let verifier = login.verifier {
            query["code_challenge"] = Base64URL.encode(CredentialClaim.hash(of: verifier))
            query["code_challenge_method"] = "S256"
        }
        return "\(endpoints.page)\(endpoints.page.has("?") ? "&" : "?")\(Form.text(query))"
    }

    /// The valid issuers in the provider's response (RFC 9207), and whether the response must name one.
    ///
    /// - Throws: ``IdentityFailure``.
    package func expectedIssuers() async throws -> (issuers: [String], isRequired: Bool) {
        let endpoints = try await AuthorizationEndpoints(of: client)
        return (client.description.openID?.issuers ?? [], endpoints.flow.namesIssuer)
    }
}

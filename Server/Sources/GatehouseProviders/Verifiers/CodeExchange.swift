import Foundation
import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// The authorization code flow (RFC 6749 section 4.1, RFC 7636), from the server's side.
package struct CodeExchange: Sendable {
    package let client: ProviderClient

    package init(client: ProviderClient) {
        self.client = client
    }

    /// The parameters with which a code was requested. A browser login has all of them, and only the state, the nonce and the challenge
    /// leave the server; for a code from a game, they are what the game sends.
    package struct Login: Sendable, Hashable, Codable {
        package var state: String?
        package var nonce: String?
        package var verifier: String?
        package var redirectUri: String?

        package init(state: String? = nil, nonce: String? = nil, verifier: String? = nil, redirectUri: String? = nil) {
            self.state = state
            self.nonce = nonce
            self.verifier = verifier
            self.redirectUri = redirectUri
        }
    }

    /// The response of the token endpoint.
    package struct Tokens: Sendable {
        package var idToken: ProviderToken?
        package var accessToken: ProviderToken?
        package var refreshToken: ProviderToken?
    }

    /// The parameters of the provider's page besides those of the flow.
    package struct Page: Sendable, Hashable {
        /// The scopes that replace the description's.
        package var scopes: [String]?
        package var parameters: [String: String] = [:]
        /// Whether the provider must ask for an account and its password again.
        package var reauthenticates = false

        package init(
            scopes: [String]? = nil, parameters: [String: String] = [:], reauthenticates: Bool = false
        ) {
            self.scopes = scopes
            self.parameters = parameters
            self.reauthenticates = reauthenticates
        }
    }

    /// The address to which the player's browser is sent.
    ///
    /// - Throws: ``IdentityFailure``.
    package func authorizationURL(for login: Login, at page: Page = Page()) async throws -> String {
        let (flow, endpoint, _) = try await flow()
        guard let clientId = client.clientIds.first else { throw IdentityFailure.misconfigured("it has no client id") }
        var query = flow.parameters.merging(page.parameters) { $1 }
        if page.reauthenticates { query.merge(flow.reauthentication) { $1 } }
        query["response_type"] = "code"
        query["client_id"] = clientId
        query["redirect_uri"] = login.redirectUri
        query["state"] = login.state
        let scopes = page.scopes ?? flow.scopes
        if !scopes.isEmpty { query["scope"] = scopes.joined(separator: flow.scopeSeparator) }
        if client.description.openID != nil { query["nonce"] = login.nonce }
        if flow.usesPKCE, let verifier = login.verifier {
            query["code_challenge"] = Base64URL.encode(CredentialClaim.hash(of: verifier))
            query["code_challenge_method"] = "S256"
        }
        return "\(endpoint)\(endpoint.has("?") ? "&" : "?")\(Form.text(query))"
    }

    /// The valid issuers in a provider's response (RFC 9207), and whether the response must name one.
    package func expectedIssuers() async throws -> (issuers: [String], isRequired: Bool) {
        let (flow, _, _) = try await flow()
        return (client.description.openID?.issuers ?? [], flow.namesIssuer)
    }

    /// Exchanges a code.
    ///
    /// - Throws: ``IdentityFailure``.
    package func tokens(for code: ProviderToken, of login: Login, at moment: Moment) async throws -> Tokens {
        let request = try await request(for: code, of: login, at: moment)
        let answer = try await client.answer(to: request, isAuthenticated: true)
        let tokens = Tokens(
            idToken: answer["id_token"]?.string.map { ProviderToken($0) },
            accessToken: answer["access_token"]?.string.map { ProviderToken($0) },
            refreshToken: answer["refresh_token"]?.string.map { ProviderToken($0) })
        guard tokens.idToken != nil || tokens.accessToken != nil else {
            throw IdentityFailure.rejected("the provider gives no token for the code")
        }
        return tokens
    }

    /// The request that exchanges a code.
    ///
    /// - Throws: ``IdentityFailure``.
    func request(for code: ProviderToken, of login: Login, at moment: Moment) async throws -> OutgoingRequest {
        let (flow, _, endpoint) = try await flow()
        let proof = try await client.authentication(at: .token, moment: moment)
            .parameters(of: client.clientIds.first ?? "", at: moment)
        var form = proof.form
        form["grant_type"] = "authorization_code"
        form["code"] = code.secretValue
        form["redirect_uri"] = login.redirectUri
        if flow.usesPKCE { form["code_verifier"] = login.verifier }
        if flow.sendsState { form["state"] = login.state }
        var request = OutgoingRequest(
            method: "POST", url: client.values.place(endpoint), headers: proof.headers, body: Data(Form.text(form).utf8)
        )
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        return request
    }

    private func flow() async throws -> (AuthorizationDescription, authorization: String, token: String) {
        guard var flow = client.description.authorization else {
            throw IdentityFailure.misconfigured("it has no login with a browser")
        }
        let document = try await client.endpoints(needing: .page)
        flow.namesIssuer = flow.namesIssuer || document?.namesIssuer ?? false
        guard let url = flow.url ?? document?.authorizationURL, let tokenURL = flow.tokenURL ?? document?.tokenURL
        else {
            throw IdentityFailure.misconfigured("it has no login with a browser")
        }
        return (flow, client.values.place(url), tokenURL)
    }
}

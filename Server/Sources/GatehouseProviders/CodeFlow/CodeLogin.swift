import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// The parameters with which a code was requested (RFC 6749 section 4.1, RFC 7636). A browser login has all of them, and only the state,
/// the nonce and the challenge leave the server; for a code from a game, they are what the game sends.
package struct CodeLogin: Sendable, Hashable, Codable {
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

/// How a player logs in with a browser: the authorization code flow (RFC 6749 section 4.1).
package struct AuthorizationDescription: Sendable, Hashable {
    /// Nil if the discovery document has it.
    package var url: String?
    package var tokenURL: String?
    package var scopes: [String]
    /// Those without which the provider's answer lacks what a login is verified by: they are asked for whatever a call says.
    package var required: [String] = []
    package var scopeSeparator = " "
    /// Scopes that a game may ask for with a call, beside those that the operator has named. None of them lets the game act for
    /// the player: they tell more about a person, and Google's `games_lite` keeps what the player has reached in this game.
    package var knownScopes: [String] = []
    /// Additional parameters of the provider's page.
    package var parameters: [String: String] = [:]
    /// The documented parameters that make the provider's page ask for an account and its password again. Empty if none are documented:
    /// then a private browser session is used.
    package var reauthentication: [String: String] = [:]
    /// Whether that makes the page ask for the password as well, and not only for one of the accounts that the browser knows.
    package var asksForPassword = true
    package var usesPKCE = true
    /// How a client with a secret authenticates; nil if the discovery document has it.
    package var authentication: ClientAuthenticationMethod? = .secretPost
    /// Whether a client must have a secret.
    package var needsSecret = true
    /// Whether the token endpoint requires the `state` again, as Naver's does.
    package var sendsState = false
    /// Whether the provider must identify itself with `iss` in its redirect (RFC 9207). A received `iss` is always compared, required
    /// or not.
    package var namesIssuer = false
}

/// The provider's page and its token endpoint, with what is known of their flow.
struct AuthorizationEndpoints {
    let flow: AuthorizationDescription
    /// The address of the page.
    let page: String
    /// The URL of the token endpoint, as the provider names it.
    let token: String

    /// - Throws: ``IdentityFailure``.
    init(of client: ProviderClient) async throws {
        guard var flow = client.description.authorization else {
            throw IdentityFailure.misconfigured("it has no login with a browser")
        }
        let document = try await client.endpoints(needing: .page)
        flow.namesIssuer = flow.namesIssuer || document?.namesIssuer ?? false
        guard let url = flow.url ?? document?.authorizationURL, let tokenURL = flow.tokenURL ?? document?.tokenURL
        else {
            throw IdentityFailure.misconfigured("it has no login with a browser")
        }
        self.flow = flow
        page = client.values.place(url)
        token = tokenURL
    }
}

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

/// Exchanges a code for the provider's tokens (RFC 6749 section 4.1.3).
package struct CodeExchange: Sendable {
    package let client: ProviderClient

    package init(client: ProviderClient) {
        self.client = client
    }

    /// Exchanges a code.
    ///
    /// - Throws: ``IdentityFailure``.
    package func tokens(for code: ProviderToken, of login: CodeLogin, at moment: Moment) async throws -> IssuedTokens {
        let request = try await request(for: code, of: login, at: moment)
        let answer = try await client.answer(to: request, isAuthenticated: true)
        let tokens = IssuedTokens(
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
    func request(for code: ProviderToken, of login: CodeLogin, at moment: Moment) async throws -> OutgoingRequest {
        let endpoints = try await AuthorizationEndpoints(of: client)
        let proof = try await client.authentication(at: .token, moment: moment)
            .parameters(of: client.clientIds.first ?? "", at: moment)
        var form = proof.form
        form["grant_type"] = "authorization_code"
        form["code"] = code.secretValue
        form["redirect_uri"] = login.redirectUri
        if endpoints.flow.usesPKCE { form["code_verifier"] = login.verifier }
        if endpoints.flow.sendsState { form["state"] = login.state }
        var request = OutgoingRequest(
            method: "POST", url: client.values.place(endpoints.token), headers: proof.headers,
            body: Data(Form.text(form).utf8))
        request.headers["Content-Type"] = "application/x-www-form-urlencoded"
        return request
    }
}

/// The tokens of a login that a provider has issued: in exchange for a code, or to the game, which sends them.
package struct IssuedTokens: Sendable {
    package var idToken: ProviderToken?
    package var accessToken: ProviderToken?
    package var refreshToken: ProviderToken?
}

import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

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

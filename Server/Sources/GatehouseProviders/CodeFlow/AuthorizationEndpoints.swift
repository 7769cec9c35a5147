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

import GatehouseJSON
import GatehouseSecurity
import GatehouseWire

/// What a provider says of a person who has logged in with a browser, as a test shows it. It has no token, and of what else is known of
/// the person only the names.
package struct LoginSample: Codable, Sendable, Hashable {
    package let identity: IdentityKey
    /// Who has signed the ID token; nil for a provider without ID tokens.
    package let issuer: String?
    package let audiences: [String]
    package let claims: [String]
}

extension CredentialVerifier {
    private static let maximumClaims = 100

    /// Exchanges a code as a login does, and keeps nothing of what comes back but this.
    ///
    /// - Throws: ``IdentityFailure``.
    func sample(
        of code: ProviderToken, _ login: CodeLogin, _ credential: Credential
    ) async throws -> LoginSample {
        let tokens = try await CodeExchange(client: client).tokens(for: code, of: login, at: moment)
        let person = try await person(of: tokens, nonce: login.nonce, credential, areOurs: true)
        var names = Set(person.profile.keys)
        var parties: (issuer: String?, audiences: [String]) = (nil, [])
        if let idToken = tokens.idToken, let openID = client.description.openID {
            let claims = try await verifier(of: client, openID, areOurs: true).verifiedClaims(of: idToken)
            parties = (claims["iss"]?.string, claims["aud"]?.strings ?? [])
            if case .object(let members) = claims { names.formUnion(members.map(\.name)) }
        }
        return LoginSample(
            identity: client.identity(person.subject), issuer: parties.issuer, audiences: parties.audiences,
            claims: names.sorted().prefix(Self.maximumClaims).map { String($0.prefix(100)) })
    }
}

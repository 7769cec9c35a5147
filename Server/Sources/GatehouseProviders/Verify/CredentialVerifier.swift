import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
import GatehouseServerWire
package import GatehouseWire
package import X509

/// Verifies a credential at a provider of an app, and returns its person and what may be kept. Only what the provider has confirmed is
/// kept as the provider's.
package struct CredentialVerifier: Sendable {
    /// How long a token is remembered as one device's if the provider doesn't report when it expires.
    package static let longestUseSeconds: Int64 = 90 * 86_400
    /// The maximum size of a profile as JSON. It is encrypted for each member, and some providers send large ones.
    package static let maximumProfileBytes = 8_192
    package static let maximumNameBytes = 256

    package let client: ProviderClient
    package let keys: ProviderKeys
    package let certificates: CachedDocuments<Certificate>
    /// The machine's trust store.
    package let authorities: @Sendable () -> CertificateStore?
    package let moment: Moment

    /// The person of the tokens, and the client to which they were issued.
    struct Person {
        let subject: String
        var profile: [String: JSONValue]
        var clientId: String?
        var claim: CredentialClaim?
        /// Whether the ID token contains a hash of the accompanying access token.
        var namesAccessToken = false
    }

    /// - Throws: ``IdentityFailure``.
    package func verify(_ credential: Credential) async throws -> VerifiedIdentity {
        if client.description.isGameCenter {
            guard let proof = credential.gameCenter else { throw IdentityFailure.incomplete("gameCenter") }
            let verifier = GameCenterVerifier(
                client: client, certificates: certificates, authorities: authorities)
            let (subject, claim) = try await verifier.verify(proof, at: moment)
            let person = Person(subject: subject, profile: ["playerId": .string(subject)], claim: claim)
            return identity(person, IssuedTokens(), by: client, credential)
        }
        var tokens = IssuedTokens(idToken: credential.idToken, accessToken: credential.accessToken)
        // Facebook's SDK returns an ID token instead of an access token if the player may not be tracked.
        if tokens.idToken == nil, client.description.openID != nil, let token = tokens.accessToken, token.isSigned {
            tokens = IssuedTokens(idToken: token)
        }
        guard let code = credential.authorizationCode else { return try await identity(of: tokens, credential) }
        let login = CodeLogin(
            nonce: credential.nonce, verifier: credential.codeVerifier?.secretValue,
            redirectUri: credential.redirectUri)
        guard tokens.idToken != nil else { return try await identity(of: code, login, credential) }
        return try await identity(of: tokens, with: code, login, credential)
    }

    /// Returns the person of a code, which this server exchanges.
    ///
    /// - Throws: ``IdentityFailure``.
    package func identity(
        of code: ProviderToken, _ login: CodeLogin, _ credential: Credential
    ) async throws -> VerifiedIdentity {
        let tokens = try await CodeExchange(client: client).tokens(for: code, of: login, at: moment)
        let person = try await person(of: tokens, nonce: login.nonce, credential, areOurs: true)
        return identity(person, tokens, by: client, credential)
    }

    /// Returns the person of tokens that a client sends.
    private func identity(
        of tokens: IssuedTokens, _ credential: Credential
    ) async throws -> VerifiedIdentity {
        let person = try await person(of: tokens, nonce: credential.nonce, credential, areOurs: false)
        var tokens = tokens
        if tokens.idToken != nil, !person.namesAccessToken {
            tokens.accessToken = try await confirmed(tokens.accessToken, of: person, by: client, isOurs: false)
        }
        return identity(person, tokens, by: client, credential)
    }

    /// Handles an ID token with a code beside it (Apple): the code is exchanged to obtain a token that can be revoked.
    private func identity(
        of tokens: IssuedTokens, with code: ProviderToken, _ login: CodeLogin,
        _ credential: Credential
    ) async throws -> VerifiedIdentity {
        let person = try await person(of: tokens, nonce: login.nonce, credential, areOurs: false)
        // The code belongs to the client to which the accompanying token was issued.
        let speaking = client.speaking(as: person.clientId)
        var kept = IssuedTokens(idToken: tokens.idToken)
        do {
            let exchanged = try await CodeExchange(client: speaking).tokens(for: code, of: login, at: moment)
            if try await isOf(person, exchanged, by: speaking) {
                kept.accessToken = exchanged.accessToken
                kept.refreshToken = exchanged.refreshToken
            }
        } catch IdentityFailure.unavailable, IdentityFailure.busy, IdentityFailure.misconfigured {
            // The player's identity is already verified, and the login matters more than a token that can be revoked.
        }
        return identity(person, kept, by: speaking, credential)
    }

    /// Whether the exchanged tokens belong to the person of the accompanying ID token. Otherwise another person's code would give this
    /// member that person's tokens.
    ///
    /// - Returns: false if the provider doesn't say.
    /// - Throws: ``IdentityFailure`` if they belong to another person.
    private func isOf(_ person: Person, _ exchanged: IssuedTokens, by client: ProviderClient) async throws
        -> Bool
    {
        guard let idToken = exchanged.idToken, let openID = client.description.openID else {
            return try await confirmed(exchanged.accessToken, of: person, by: client, isOurs: true) != nil
        }
        let verifier = try await verifier(of: client, openID, areOurs: true)
        let claims = try await verifier.verifiedClaims(of: idToken)
        guard try OpenIDVerifier.subject(claims["sub"]).isExactly(person.subject) else {
            throw IdentityFailure.rejected("the code beside it is another person's")
        }
        return true
    }

    /// The access token, if the provider confirms that it belongs to the person; nil if the provider can't be asked or doesn't say, or
    /// if nothing is kept.
    ///
    /// - Throws: ``IdentityFailure`` for another person's or another client's token.
    private func confirmed(
        _ token: ProviderToken?, of person: Person, by client: ProviderClient, isOurs: Bool
    ) async throws -> ProviderToken? {
        let isOfUse = client.configuration.keepsProfiles || client.revocation == .byToken
        guard let token, isOfUse, client.description.namesAudience || isOurs, !client.description.checks.isEmpty else {
            return nil
        }
        do {
            let found = try await TokenVerifier(client: client).person(of: token, isOurs: isOurs, at: moment)
            guard found.subject.isExactly(person.subject) else {
                throw IdentityFailure.rejected("the access token beside it is another person's")
            }
            return token
        } catch IdentityFailure.unavailable, IdentityFailure.busy, IdentityFailure.misconfigured,
            IdentityFailure.expired
        {
            return nil
        }
    }

    func person(
        of tokens: IssuedTokens, nonce: String?, _ credential: Credential, areOurs: Bool
    ) async throws -> Person {
        var person: Person
        if let idToken = tokens.idToken, let openID = client.description.openID {
            let found = try await verifier(of: client, openID, areOurs: areOurs).person(
                in: .init(token: idToken, nonce: nonce, accessToken: tokens.accessToken), at: moment)
            person = Person(
                subject: found.subject, profile: found.profile, clientId: found.clientId,
                namesAccessToken: found.namesAccessToken)
            if !areOurs { person.claim = .signed(idToken, until: found.expiresAt) }
        } else if let accessToken = tokens.accessToken {
            let found = try await TokenVerifier(client: client).person(of: accessToken, isOurs: areOurs, at: moment)
            person = Person(subject: found.subject, profile: found.profile)
            if !areOurs {
                let longest = moment.adding(seconds: Self.longestUseSeconds)
                person.claim = .opaque(accessToken, until: min(found.expiresAt ?? longest, longest))
            }
        } else {
            throw IdentityFailure.incomplete(client.description.openID == nil ? "accessToken" : "idToken")
        }
        person.profile = Self.bounded(person.profile)
        // This name comes from the device and not from the provider, so it is stored under a separate name.
        if let name = credential.personName {
            person.profile["nameOnDevice"] = .string(name.prefix(bytes: Self.maximumNameBytes))
        }
        return person
    }

    package func verifier(
        of client: ProviderClient, _ openID: OpenIDDescription, areOurs: Bool = false
    ) async throws -> OpenIDVerifier {
        let document = openID.keysURL == nil ? try await client.endpoints(needing: .algorithm) : nil
        guard let keysURL = openID.keysURL ?? document?.keysURL else {
            throw IdentityFailure.misconfigured("it does not say where its keys are")
        }
        return OpenIDVerifier(
            issuers: openID.issuers, clientIds: client.clientIds,
            algorithms: try openID.algorithms ?? Self.algorithms(of: document),
            acceptsUnnamedKeys: openID.acceptsUnnamedKeys,
            place: .init(url: client.values.place(keysURL), share: client.share), keys: keys,
            sharedSecret: areOurs && openID.signsWebTokensWithSecret ? client.secrets.clientSecret : nil)
    }

    /// The accepted algorithms for a provider's ID tokens, if no operator has set them: those in its discovery document that this
    /// server supports. Every provider supports RS256 (OpenID Connect Discovery section 3).
    private static func algorithms(of document: Discovery.Document?) throws -> [String] {
        guard let named = document?.signingAlgorithms else { return ["RS256"] }
        let known = OpenIDVerifier.supportedAlgorithms.filter(named.contains)
        guard !known.isEmpty else {
            throw IdentityFailure.misconfigured(
                "it signs ID tokens with \(named.prefix(8).joined(separator: ", ")), and only "
                    + "\(OpenIDVerifier.known) are known")
        }
        return known
    }

    private func identity(
        _ person: Person, _ tokens: IssuedTokens, by client: ProviderClient, _ credential: Credential
    ) -> VerifiedIdentity {
        VerifiedIdentity(
            key: client.identity(person.subject), tokens: kept(tokens, of: person, by: client, credential),
            claim: person.claim)
    }

    /// Keeps only what will be used.
    private func kept(
        _ tokens: IssuedTokens, of person: Person, by client: ProviderClient, _ credential: Credential
    ) -> IdentityTokens? {
        let keepsProfile = client.configuration.keepsProfiles
        let kept = IdentityTokens(
            accessToken: tokens.accessToken, refreshToken: tokens.refreshToken,
            idToken: keepsProfile && tokens.accessToken == nil ? tokens.idToken : nil,
            profile: keepsProfile ? person.profile : nil, subject: person.subject, region: credential.region,
            clientId: person.clientId, revocation: client.revocation)
        guard keepsProfile || kept.isRevocable else { return nil }
        return kept
    }

    /// The members of a profile that fit the limit, smallest first.
    package static func bounded(_ profile: [String: JSONValue]) -> [String: JSONValue] {
        let members = profile.map { member -> (name: String, value: JSONValue, size: Int) in
            let size = (try? JSONWriter.bytes(of: member.value).count) ?? maximumProfileBytes
            return (member.key, member.value, size + member.key.utf8.count + 4)
        }
        guard members.reduce(2, { $0 + $1.size }) > maximumProfileBytes else { return profile }
        var room = maximumProfileBytes - 2
        var kept: [String: JSONValue] = [:]
        for member in members.sorted(by: { ($0.size, $0.name) < ($1.size, $1.name) }) where member.size <= room {
            room -= member.size
            kept[member.name] = member.value
        }
        return kept
    }
}

extension ProviderClient {
    /// How a person's consent is revoked, according to the settings. A discovery document may name an endpoint.
    package var revocation: IdentityTokens.Revocation? {
        guard !description.revocation.isEmpty else { return configuration.openID == nil ? nil : .byToken }
        return description.revocation.contains(where: \.takesToken) ? .byToken : .bySubject
    }
}

extension ProviderToken {
    /// Whether the token looks like a signed one.
    fileprivate var isSigned: Bool {
        secretValue.begins(with: "eyJ") && secretValue.count(where: { $0 == "." }) == 2
    }
}

extension String {
    /// The longest prefix of whole scalars with at most this many bytes.
    package func prefix(bytes limit: Int) -> String {
        var result = String.UnicodeScalarView()
        var size = 0
        for scalar in unicodeScalars {
            size += UTF8.width(scalar)
            guard size <= limit else { break }
            result.append(scalar)
        }
        return String(result)
    }
}

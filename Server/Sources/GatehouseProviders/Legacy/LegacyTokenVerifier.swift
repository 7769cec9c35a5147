import GatehouseJSON
package import GatehouseSecurity
package import GatehouseWire

extension ProviderVerification {
    /// Asks or verifies who owns a credential of another system.
    ///
    /// - Throws: ``IdentityFailure``.
    package func person(
        of credential: LegacyCredential, from origin: LegacyOrigin, at moment: Moment
    ) async throws -> LegacyPerson {
        let description = origin.description
        if let token = description.token {
            let verifier = LegacyTokenVerifier(
                token: token, origin: origin, keys: keys, discovery: surroundings.discovery, moment: moment)
            if token.kind == credential.kind { return try await verifier.person(of: credential.value) }
            if let call = description.tokenCalls[credential.kind] {
                let (_, answer) = try await ask(call.request(credential, try Self.key(of: origin)), origin)
                var person = try await verifier.person(of: try call.token(answer))
                person.claim = Self.claim(credential, at: moment)
                return person
            }
        }
        guard let call = description.calls[credential.kind] else {
            throw IdentityFailure.rejected("this source takes no such kind of credential")
        }
        return try await answer(to: call, credential, origin, at: moment)
    }

    private func answer(
        to call: LegacyCall, _ credential: LegacyCredential, _ origin: LegacyOrigin, at moment: Moment
    ) async throws -> LegacyPerson {
        var key = try Self.key(of: origin)
        // A credential that lacks something is no reason to ask for a key.
        guard call.request(credential, origin.settings, key) != nil else {
            throw IdentityFailure.incomplete("credential")
        }
        if let before = call.before {
            let (_, answer) = try await ask(before.request(origin.settings, key), origin)
            key = try before.key(answer)
        }
        guard let request = call.request(credential, origin.settings, key) else {
            throw IdentityFailure.incomplete("credential")
        }
        let (status, answer) = try await ask(request, origin)
        var person = try call.person(status, answer)
        if call.isBound { person.claim = Self.claim(credential, at: moment) }
        return person
    }

    private func ask(_ request: OutgoingRequest, _ origin: LegacyOrigin) async throws -> (Int, StrictJSON.Value) {
        var request = request
        request.url = origin.place(request.url)
        let response = try await surroundings.gateway.fetch(request, of: origin.share)
        guard let answer = try? StrictJSON.parse(response.body), case .object = answer else {
            throw IdentityFailure.unavailable
        }
        return (response.status, answer)
    }

    private static func key(of origin: LegacyOrigin) throws -> ProviderToken {
        guard let key = origin.key else { throw IdentityFailure.misconfigured("the source has no secret key") }
        return key
    }

    /// What binds a credential that can be used again and again to the first device that shows it.
    private static func claim(_ credential: LegacyCredential, at moment: Moment) -> CredentialClaim {
        .opaque(credential.value, until: moment.adding(seconds: CredentialVerifier.longestUseSeconds))
    }
}

/// Verifies a signed token of another system: its kind, its signer, for whom and when it was issued, and whose it is. What the token says
/// is read before the signature is verified only to name what is wrong with it.
struct LegacyTokenVerifier: Sendable {
    /// A token that was issued longer ago is refused, however long it is valid.
    static let longestAgeSeconds: Int64 = 3_600

    let token: LegacyToken
    let origin: LegacyOrigin
    let keys: ProviderKeys
    let discovery: Discovery
    let moment: Moment

    private var now: Int64 { moment.milliseconds / 1_000 }

    /// - Throws: ``IdentityFailure``.
    func person(of text: ProviderToken) async throws -> LegacyPerson {
        guard let unverified = SignedToken(text.secretValue, maximumLength: OpenIDVerifier.maximumLength) else {
            throw IdentityFailure.rejected("it is no signed token")
        }
        if unverified.header["alg"]?.string?.lowercased() == "none" {
            throw IdentityFailure.rejected("it is not signed")
        }
        // Access tokens, logout tokens and reports have types of their own (RFC 8725 section 3.11).
        let type = unverified.header["typ"]
        let hasType = token.type.map { type?.string == $0 } ?? (type == nil || type?.string?.lowercased() == "jwt")
        guard hasType else { throw IdentityFailure.rejected("it is a token of another kind") }
        if let other = token.otherKind(unverified.claims, origin.settings) { throw IdentityFailure.rejected(other) }
        try checkParties(unverified.claims)
        let claims = try await verifier().signed(text).claims
        let (issued, expiry) = try times(of: claims)
        var person = try token.person(claims, origin.settings)
        person.signedInAt = try (claims["auth_time"]?.seconds ?? issued).map { seconds in
            guard seconds <= now + OpenIDVerifier.leewaySeconds else {
                throw IdentityFailure.rejected("it was signed in in the future")
            }
            return Moment(milliseconds: seconds * 1_000)
        }
        let end = Moment(milliseconds: (expiry + OpenIDVerifier.leewaySeconds) * 1_000)
        // A row that lives as long as the token could be used, whatever the token says of its own end.
        let bound = issued.map { $0 + Self.longestAgeSeconds + OpenIDVerifier.leewaySeconds } ?? .max
        person.claim = .signed(text, until: min(end, Moment(milliseconds: min(bound, 253_402_300_799) * 1_000)))
        return person
    }

    private func checkParties(_ claims: StrictJSON.Value) throws {
        let settings = origin.settings
        if let issuer = token.issuer(settings) {
            guard claims["iss"]?.string == issuer else {
                throw IdentityFailure.rejected("its issuer is another: it is of another project or system")
            }
        }
        guard let audience = token.audience(settings) else { return }
        guard claims["aud"]?.strings == [audience] else { throw IdentityFailure.audienceMismatch }
    }

    private func verifier() async throws -> OpenIDVerifier {
        let url: String
        switch token.keys {
        case .at(let address): url = origin.place(address(origin.settings))
        case .discovered:
            let issuer = origin.settings.issuer ?? ""
            let document = try await discovery.document(
                of: issuer, at: origin.settings.origin, of: origin.share)
            url = origin.place(document.keysURL)
        case .none: url = ""
        }
        return OpenIDVerifier(
            issuers: [], clientIds: [], algorithms: token.algorithms, acceptsUnnamedKeys: false,
            place: .init(url: url, share: origin.share), keys: keys,
            sharedSecret: token.takesSecretKey ? origin.key : nil)
    }

    /// When the token was issued, if it says so, and when it ends, in seconds since 1970.
    private func times(of claims: StrictJSON.Value) throws -> (issued: Int64?, expiry: Int64) {
        let leeway = OpenIDVerifier.leewaySeconds
        guard let expiry = claims["exp"]?.seconds else { throw IdentityFailure.rejected("its times are not numbers") }
        guard now < expiry + leeway else { throw IdentityFailure.expired }
        let issued = claims["iat"]?.seconds
        guard issued != nil || !token.tellsIssue && claims["iat"] == nil else {
            throw IdentityFailure.rejected("its times are not numbers")
        }
        if let issued {
            guard issued <= now + leeway, issued <= expiry else {
                throw IdentityFailure.rejected("it was issued in the future")
            }
            guard now - issued <= Self.longestAgeSeconds + leeway else {
                throw IdentityFailure.rejected("it was issued more than an hour ago")
            }
        }
        if let notBefore = claims["nbf"] {
            guard let notBefore = notBefore.seconds, notBefore <= now + leeway else {
                throw IdentityFailure.rejected("it is not valid yet")
            }
        }
        return (issued, expiry)
    }
}

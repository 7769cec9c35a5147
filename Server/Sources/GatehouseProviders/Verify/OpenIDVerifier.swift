import Crypto
package import GatehouseJSON
import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// Verifies an ID token (OpenID Connect Core section 3.1.3.7, RFC 8725): its signer, its audience, its times, and its subject.
package struct OpenIDVerifier: Sendable {
    /// The accepted difference between clocks.
    package static let leewaySeconds: Int64 = 60
    /// The maximum length of a token; real ones have one or two thousand characters.
    package static let maximumLength = 8_192
    package static let supportedAlgorithms = ["RS256", "ES256", "EdDSA"]

    /// Those, in a sentence.
    package static let known = "RS256, ES256 and EdDSA"

    package let issuers: [String]
    package let clientIds: [String]
    /// The accepted algorithms. The token can't choose another.
    package let algorithms: [String]
    /// Whether a token without a key id is accepted if exactly one of the provider's keys fits.
    package let acceptsUnnamedKeys: Bool
    package let place: ProviderKeys.Place
    package let keys: ProviderKeys
    /// The secret for tokens signed with HS256. Such tokens are accepted only from web logins at a provider that documents them, and
    /// never with a published key.
    package var sharedSecret: ProviderToken?

    /// A token and the values that accompany it.
    package struct Presentation: Sendable {
        package let token: ProviderToken
        /// The nonce with which it was requested. A token without this nonce is refused.
        package var nonce: String?
        package var accessToken: ProviderToken?
    }

    package struct Person: Sendable {
        package let subject: String
        /// The client to which the token was issued.
        package let clientId: String
        package let profile: [String: JSONValue]
        /// The end of the time during which the token could be presented again.
        package let expiresAt: Moment
        /// Whether the token contains the hash of its access token, and it matches the accompanying one.
        package let namesAccessToken: Bool
    }

    /// The token's person and profile.
    ///
    /// - Throws: ``IdentityFailure``.
    package func person(in presentation: Presentation, at moment: Moment) async throws -> Person {
        let token = try await verified(presentation.token)
        let claims = token.claims
        try checkKind(of: token)
        let expiry = try check(claims, presentation, at: moment)
        return Person(
            subject: try Self.subject(claims["sub"]), clientId: clientId(in: claims), profile: Self.profile(claims),
            expiresAt: Moment(milliseconds: (expiry + Self.leewaySeconds) * 1_000),
            namesAccessToken: presentation.accessToken != nil && claims.given("at_hash") != nil)
    }

    /// The claims of a token from this provider for one of the clients. Subject and times are not checked.
    ///
    /// - Throws: ``IdentityFailure``.
    package func verifiedClaims(of token: ProviderToken) async throws -> StrictJSON.Value {
        try await verified(token).claims
    }

    private func verified(_ token: ProviderToken) async throws -> SignedToken {
        let jws = try await signed(token)
        try checkParties(jws.claims)
        return jws
    }

    /// The token, if the provider has signed it. Nothing that it says is checked.
    ///
    /// - Throws: ``IdentityFailure``.
    func signed(_ token: ProviderToken) async throws -> SignedToken {
        guard let jws = SignedToken(token.secretValue, maximumLength: Self.maximumLength) else {
            throw IdentityFailure.rejected("it is no signed token")
        }
        // The token's own statements about where to find its key are ignored.
        guard jws.header["crit"] == nil, jws.header["b64"] == nil else {
            throw IdentityFailure.rejected("its header is not understood")
        }
        try await checkSignature(of: jws)
        return jws
    }

    /// Refuses tokens of other kinds that are signed with the same keys: access tokens, logout tokens, reports. They are recognised by
    /// their type or by their events (RFC 8725 section 3.11, RFC 9068 section 2.1, OpenID Connect Back-Channel Logout section 2.4).
    private func checkKind(of token: SignedToken) throws {
        let type = token.header["typ"].map { $0.string ?? "" }
        guard type == nil || type?.lowercased() == "jwt", token.claims.given("events") == nil else {
            throw IdentityFailure.rejected("it is a token of another kind than an ID token")
        }
    }

    private func clientId(in claims: StrictJSON.Value) -> String {
        claims["azp"]?.string ?? claims["aud"]?.strings?.first { clientIds.contains($0) } ?? ""
    }

    private func checkParties(_ claims: StrictJSON.Value) throws {
        guard let issuer = claims["iss"]?.string, issuers.contains(issuer) else {
            throw IdentityFailure.rejected("its issuer is another")
        }
        let audience = claims["aud"]?.strings ?? []
        guard !audience.isEmpty, audience.contains(where: clientIds.contains) else {
            throw IdentityFailure.audienceMismatch
        }
        // If a token has several audiences, the party that requested it must be the app.
        if let party = claims.given("azp") {
            guard let party = party.string, clientIds.contains(party) else { throw IdentityFailure.audienceMismatch }
        } else if audience.count > 1 {
            throw IdentityFailure.audienceMismatch
        }
    }

    private func checkSignature(of jws: SignedToken) async throws {
        let algorithm = ProviderKey.algorithm(named: jws.header["alg"]?.string ?? "")
        if algorithm == "HS256", let sharedSecret {
            let key = SymmetricKey(data: Data(sharedSecret.secretValue.utf8))
            guard
                HMAC<SHA256>.isValidAuthenticationCode(
                    Data(jws.signature), authenticating: Data(jws.signingInput), using: key)
            else { throw IdentityFailure.rejected("its signature does not verify") }
            return
        }
        guard algorithms.contains(algorithm) else {
            guard Self.supportedAlgorithms.contains(algorithm) else {
                throw IdentityFailure.rejected(
                    "it is signed with \(VisibleText.escaping(String(algorithm.prefix(32)))), and only \(Self.known) are known"
                )
            }
            throw IdentityFailure.rejected("its algorithm is not the provider's")
        }
        let wanted = ProviderKeySet.Wanted(id: try keyID(of: jws), algorithm: algorithm)
        guard let key = try await keys.key(wanted, at: place) else {
            throw IdentityFailure.rejected("its key is not one of the provider's")
        }
        if key.isValid(jws) { return }
        // A token without a key id doesn't show whether the provider has a new key, so the keys are fetched again.
        guard wanted.id == nil, let newer = try await keys.key(wanted, at: place, isNewer: true), newer.isValid(jws)
        else {
            throw IdentityFailure.rejected("its signature does not verify")
        }
    }

    private func keyID(of jws: SignedToken) throws -> String? {
        guard let id = jws.header["kid"] else {
            guard acceptsUnnamedKeys else { throw IdentityFailure.rejected("its header is not understood") }
            return nil
        }
        guard let id = id.string, (1...256).contains(id.utf8.count) else {
            throw IdentityFailure.rejected("its header is not understood")
        }
        return id
    }

    /// Claims about the token and not about the person.
    private static let technicalClaims: Set<String> = [
        "iss", "aud", "azp", "exp", "iat", "nbf", "jti", "nonce", "at_hash", "c_hash", "auth_time", "amr", "acr",
    ]

    private static func profile(_ claims: StrictJSON.Value) -> [String: JSONValue] {
        guard case .object(let members) = claims else { return [:] }
        return Dictionary(
            members.filter { !technicalClaims.contains($0.name) }.map { ($0.name, JSONValue($0.value)) }
        ) { first, _ in first }
    }

    /// Checks the claims, and returns the time of expiry in seconds since 1970.
    private func check(
        _ claims: StrictJSON.Value, _ presentation: Presentation, at moment: Moment
    ) throws -> Int64 {
        let now = moment.milliseconds / 1_000
        guard let expiry = claims["exp"]?.seconds, let issued = claims["iat"]?.seconds else {
            throw IdentityFailure.rejected("its times are not numbers")
        }
        guard now < expiry + Self.leewaySeconds else { throw IdentityFailure.expired }
        guard issued <= now + Self.leewaySeconds, issued <= expiry else {
            throw IdentityFailure.rejected("it was issued in the future")
        }
        if let notBefore = claims.given("nbf") {
            guard let notBefore = notBefore.seconds, notBefore <= now + Self.leewaySeconds else {
                throw IdentityFailure.rejected("it is not valid yet")
            }
        }
        if let nonce = presentation.nonce, claims["nonce"]?.string != nonce {
            throw IdentityFailure.rejected("its nonce is another")
        }
        try checkAccessTokenHash(claims, presentation)
        return expiry
    }

    /// If the token contains an access token's hash, it must match the accompanying one (OpenID Connect Core section 3.1.3.8).
    private func checkAccessTokenHash(_ claims: StrictJSON.Value, _ presentation: Presentation) throws {
        guard let accessToken = presentation.accessToken, let hash = claims.given("at_hash") else { return }
        let digest = SHA256.hash(data: Data(accessToken.secretValue.utf8))
        guard hash.string == Base64URL.encode(Array(digest.prefix(16))) else {
            throw IdentityFailure.rejected("the access token is another's")
        }
    }

    /// Refuses an empty, blank, missing or odd subject (IDP-3).
    package static func subject(_ value: StrictJSON.Value?) throws -> String {
        guard let subject = value?.string, (1...255).contains(subject.utf8.count), subject != "0", subject != "null",
            subject.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7f }),
            !subject.unicodeScalars.allSatisfy(\.properties.isWhitespace)
        else { throw IdentityFailure.rejected("it names nobody") }
        return subject
    }
}

extension StrictJSON.Value {
    /// The member of an object; nil if it is missing, and if it is null, as some providers write what a token does not have.
    func given(_ name: String) -> StrictJSON.Value? { self[name].flatMap { $0 == .null ? nil : $0 } }

    /// A string, or an array that contains only strings.
    var strings: [String]? {
        if let string { return [string] }
        guard case .array(let values) = self else { return nil }
        let strings = values.compactMap(\.string)
        return strings.count == values.count ? strings : nil
    }

    /// Seconds since 1970. A provider may send fractions (RFC 7519 section 2, NumericDate), which are dropped.
    var seconds: Int64? {
        let range: ClosedRange<Int64> = 0...253_402_300_799
        if case .number(let number) = self {
            guard number >= 0, number < Double(range.upperBound) else { return nil }
            return Int64(number)
        }
        return integer.flatMap { range.contains($0) ? $0 : nil }
    }
}

/// How a provider's ID tokens are verified (OpenID Connect Core).
package struct OpenIDDescription: Sendable, Hashable {
    package var issuers: [String]
    /// Nil if the discovery document has it.
    package var keysURL: String?
    /// Nil if the discovery document has them.
    package var algorithms: [String]? = ["RS256"]
    /// Whether a token without a key id is accepted if exactly one of the provider's keys fits. Providers whose tokens always have one
    /// must send it.
    package var acceptsUnnamedKeys = false
    /// Whether tokens of its web login are signed with the client's secret (HS256), as LINE documents.
    package var signsWebTokensWithSecret = false
}

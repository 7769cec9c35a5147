import Crypto
import GatehouseJSON
import GatehouseSecurity
import GatehouseWire

extension ProviderKind {
    /// Sign in with Apple.
    public static let apple = ProviderKind(
        "apple", names: [ProviderName(.apple, withdrawalCause: "WAAI")],
        ProviderDescription(
            openID: OpenIDDescription(
                issuers: ["https://appleid.apple.com", "https://account.apple.com"],
                keysURL: "https://appleid.apple.com/auth/keys"),
            authorization: AuthorizationDescription(
                url: "https://appleid.apple.com/auth/authorize", tokenURL: "https://appleid.apple.com/auth/token",
                scopes: ["name"], knownScopes: ["email"], parameters: ["response_mode": "form_post"], usesPKCE: false),
            revocation: [
                ProviderCall(
                    "POST", "https://appleid.apple.com/auth/revoke",
                    form: ["token": "{anyToken}", "token_type_hint": "{anyTokenKind}"]
                ).authenticated
            ],
            additionalInfo: .scopes,
            // App Review Guideline 5.1.1(v).
            requiredRevocations: [.withdrawal],
            oddities: ProviderOddities(clientSecret: AppleClientSecret.make, personName: appleName),
            reports: ProviderReports(read: report)))

    /// Apple sends a name only once, beside the code: `{"name": {"firstName": ..., "lastName": ...}}`.
    @Sendable private static func appleName(_ parameters: [String: String]) -> String? {
        guard let text = parameters["user"], let user = try? StrictJSON.parse(Array(text.utf8)) else { return nil }
        let parts = ["name.firstName", "name.lastName"].compactMap { user.at($0)?.string }.filter { !$0.isEmpty }
        return parts.isEmpty ? nil : parts.joined(separator: " ")
    }

    /// Parses `{"payload": JWS}`, whose `events` is a string that contains JSON.
    @Sendable private static func report(
        _ message: SignalReader.Message, to reader: SignalReader, at moment: Moment
    ) async throws -> ProviderSignal? {
        guard let verifier = reader.verifier, let token = (try? StrictJSON.parse(message.body))?["payload"]?.string
        else {
            throw IdentityFailure.rejected("it holds no payload")
        }
        let claims = try await verifier.verifiedClaims(of: ProviderToken(token))
        guard let id = claims["jti"]?.string, (1...256).contains(id.utf8.count),
            reader.isFresh(claims["iat"]?.integer, at: moment)
        else { throw IdentityFailure.rejected("it is too old, or does not say when it was made") }
        let events = claims["events"].flatMap { value in
            value.string.flatMap { try? StrictJSON.parse(Array($0.utf8)) } ?? value
        }
        guard let events, let type = events["type"]?.string else { throw IdentityFailure.rejected("it tells nothing") }
        let subject = try OpenIDVerifier.subject(events["sub"])
        let kind: ProviderSignal.Kind
        switch type {
        case "consent-revoked": kind = .consentRevoked
        // Apple's documentation has two spellings.
        case "account-delete", "account-deleted": kind = .accountDeleted
        default: return nil
        }
        return ProviderSignal(identity: reader.client.identity(subject), kind: kind, id: id)
    }
}

/// Apple's client secret: a token signed with the team's key.
private enum AppleClientSecret {
    /// The lifetime is short, because each token is made for one call.
    static let lifetimeSeconds: Int64 = 300

    @Sendable static func make(
        _ secrets: ProviderSecrets, clientId: String, at moment: Moment
    ) throws -> ProviderToken {
        guard let key = secrets.appleKey else { throw IdentityFailure.misconfigured("it has no client secret") }
        guard let signer = try? P256.Signing.PrivateKey(pemRepresentation: key.privateKey.secretValue) else {
            throw IdentityFailure.misconfigured("Apple's private key is not a P-256 key in PEM")
        }
        let now = moment.milliseconds / 1_000
        let header = try JSONText.write(["alg": "ES256", "kid": key.keyId])
        let claims = try JSONText.write(
            Claims(
                iss: key.teamId, iat: now, exp: now + lifetimeSeconds, aud: "https://appleid.apple.com", sub: clientId))
        return ProviderToken(try CompactJWS.sign(header: header, claims: claims, with: signer))
    }

    private struct Claims: Encodable {
        let iss: String
        let iat: Int64
        let exp: Int64
        let aud: String
        let sub: String
    }
}

import Crypto
import GatehouseJSON
import GatehousePlatform
import GatehouseSecurity
import GatehouseWire

extension ProviderKind {
    /// Facebook, with access tokens, Limited Login, or its page.
    public static let facebook = ProviderKind(
        "facebook", names: [ProviderName(.facebook)],
        ProviderDescription(
            openID: OpenIDDescription(
                issuers: ["https://www.facebook.com", "https://facebook.com"],
                keysURL: "https://limited.facebook.com/.well-known/oauth/openid/jwks/"),
            checks: [
                ProviderCheck(
                    ProviderCall(
                        "https://graph.facebook.com/v19.0/debug_token",
                        query: ["input_token": "{token}", "access_token": "{clientId}|{clientSecret}"],
                        success: ["data.is_valid": "true"]),
                    subject: "data.user_id", audience: "data.app_id", expiresAt: "data.expires_at"),
                ProviderCheck(
                    ProviderCall(
                        "https://graph.facebook.com/v19.0/me",
                        query: ["fields": "id,name", "access_token": "{token}", "appsecret_proof": "{appSecretProof}"]),
                    subject: "id", profile: ""),
            ],
            authorization: AuthorizationDescription(
                url: "https://www.facebook.com/v19.0/dialog/oauth",
                tokenURL: "https://graph.facebook.com/v19.0/oauth/access_token", scopes: ["public_profile"],
                required: ["public_profile"],
                scopeSeparator: ",",
                knownScopes: ["email", "user_friends", "gaming_profile", "gaming_user_picture"],
                reauthentication: ["auth_type": "reauthenticate"]),
            revocation: [
                ProviderCall(
                    "DELETE", "https://graph.facebook.com/v19.0/{subject}/permissions",
                    query: ["access_token": "{token}", "appsecret_proof": "{appSecretProof}"],
                    success: ["success": "true"])
            ],
            additionalInfo: .scopes.merging(["facebook_permission": .scopes]) { $1 },
            oddities: ProviderOddities(
                tokenValues: appSecretProof,
                clientErrors: ["Error validating client secret", "Error validating application"]),
            reports: ProviderReports(read: report, receipt: receipt)))

    /// The value that proves that the caller of the Graph API has the app's secret.
    @Sendable private static func appSecretProof(
        _ token: ProviderToken, _ secrets: ProviderSecrets
    ) -> [String: String] {
        guard let secret = secrets.clientSecret else { return [:] }
        let proof = HMAC<SHA256>.authenticationCode(
            for: Data(token.secretValue.utf8), using: SymmetricKey(data: Data(secret.secretValue.utf8)))
        return ["appSecretProof": proof.hexadecimal]
    }

    /// Facebook requires a page about the deletion, and a confirmation code.
    @Sendable private static func receipt(for message: SignalReader.Message, at url: String) -> [String: String] {
        let code = SHA256.hash(data: message.body).prefix(8).hexadecimal
        return ["url": "\(url)?code=\(code)", "confirmation_code": code]
    }

    /// Parses `signed_request=SIGNATURE.PAYLOAD`, signed with the app's secret.
    ///
    /// A login's own signed request has the same form and key, and is available in players' browsers: one with a `code` or a token is
    /// not a report. A report must contain its time, because otherwise it could be replayed for ever.
    @Sendable private static func report(
        _ message: SignalReader.Message, to reader: SignalReader, at moment: Moment
    ) throws -> ProviderSignal? {
        guard let secret = reader.client.secrets.clientSecret,
            let request = Form.parse(message.body)?["signed_request"]
        else { throw IdentityFailure.rejected("it holds no signed request") }
        let parts = request.parts(at: ".", withEmpty: true)
        guard parts.count == 2, let signature = Base64URL.decode(parts[0].utf8),
            HMAC<SHA256>.isValidAuthenticationCode(
                signature, authenticating: Data(parts[1].utf8),
                using: SymmetricKey(data: Data(secret.secretValue.utf8))),
            let payload = Base64URL.decode(parts[1].utf8).flatMap({ try? StrictJSON.parse($0) }),
            payload["algorithm"]?.string?.uppercased() == "HMAC-SHA256"
        else { throw IdentityFailure.rejected("its signature does not verify") }
        guard payload["code"] == nil, payload["oauth_token"] == nil else {
            throw IdentityFailure.rejected("it is a login's and no report")
        }
        guard reader.isFresh(payload["issued_at"]?.integer, at: moment) else {
            throw IdentityFailure.rejected("it is too old, or does not say when it was made")
        }
        let subject = try OpenIDVerifier.subject(payload["user_id"])
        return ProviderSignal(identity: reader.client.identity(subject), kind: .accountDeleted, id: request)
    }
}

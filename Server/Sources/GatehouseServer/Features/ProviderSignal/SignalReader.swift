import Crypto
import Foundation
import GatehouseJSON
import GatehouseSecurity
import GatehouseWire
import HTTPTypes

/// Verifies that a report comes from its provider, and parses it.
struct SignalReader: Sendable {
    /// The maximum age of a signed report. Providers retry for days.
    static let pastSeconds: Int64 = 7 * 86_400

    let client: ProviderClient
    let verifier: OpenIDVerifier?

    /// A report as it was received.
    struct Message: Sendable {
        let body: Data
        let query: String
        let authorization: String?
    }

    /// - Returns: nil for a report from the provider that has no effect here.
    /// - Throws: ``IdentityFailure`` for a report that is not from the provider.
    func event(in message: Message, at moment: Moment) async throws -> SignalRules.Event? {
        switch client.configuration.kind {
        case .apple: try await apple(message, at: moment)
        case .facebook: try facebook(message, at: moment)
        case .kakao: try kakao(message, at: moment)
        default: throw IdentityFailure.notConfigured
        }
    }

    /// Parses `{"payload": JWS}`, whose `events` is a string that contains JSON.
    private func apple(_ message: Message, at moment: Moment) async throws -> SignalRules.Event? {
        guard let verifier, let token = (try? StrictJSON.parse(message.body))?["payload"]?.string else {
            throw IdentityFailure.rejected("it holds no payload")
        }
        let claims = try await verifier.verifiedClaims(of: ProviderToken(token))
        guard let id = claims["jti"]?.string, (1...256).contains(id.utf8.count),
            isFresh(claims["iat"]?.integer, at: moment)
        else { throw IdentityFailure.rejected("it is too old, or does not say when it was made") }
        let events = claims["events"].flatMap { value in
            value.string.flatMap { try? StrictJSON.parse(Array($0.utf8)) } ?? value
        }
        guard let events, let type = events["type"]?.string else { throw IdentityFailure.rejected("it tells nothing") }
        let subject = try OpenIDVerifier.subject(events["sub"])
        let kind: SignalRules.Kind
        switch type {
        case "consent-revoked": kind = .consentRevoked
        // Apple's documentation has two spellings.
        case "account-delete", "account-deleted": kind = .accountDeleted
        default: return nil
        }
        return SignalRules.Event(identity: client.identity(subject), kind: kind, id: id)
    }

    /// Parses `signed_request=SIGNATURE.PAYLOAD`, signed with the app's secret.
    ///
    /// A login's own signed request has the same form and key, and is available in players' browsers: one with a `code` or a token is
    /// not a report. A report must contain its time, because otherwise it could be replayed for ever.
    private func facebook(_ message: Message, at moment: Moment) throws -> SignalRules.Event? {
        guard let secret = client.secrets.clientSecret,
            let request = Form.parse(String(decoding: message.body, as: UTF8.self))?["signed_request"]
        else { throw IdentityFailure.rejected("it holds no signed request") }
        let parts = request.split(separator: ".", omittingEmptySubsequences: false)
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
        guard isFresh(payload["issued_at"]?.integer, at: moment) else {
            throw IdentityFailure.rejected("it is too old, or does not say when it was made")
        }
        let subject = try OpenIDVerifier.subject(payload["user_id"])
        return SignalRules.Event(identity: client.identity(subject), kind: .accountDeleted, id: request)
    }

    private func isFresh(_ issuedAt: Int64?, at moment: Moment) -> Bool {
        guard let issuedAt else { return false }
        let now = moment.milliseconds / 1_000
        return (now - Self.pastSeconds...now + OpenIDVerifier.leewaySeconds).contains(issuedAt)
    }

    /// Parses a form with the admin key in a header.
    private func kakao(_ message: Message, at moment: Moment) throws -> SignalRules.Event? {
        guard let key = client.secrets.adminKey,
            ConstantTime.isEqual(
                Array((message.authorization ?? "").utf8), Array("KakaoAK \(key.secretValue)".utf8))
        else { throw IdentityFailure.rejected("it does not show the admin key") }
        let text = message.body.isEmpty ? message.query : String(decoding: message.body, as: UTF8.self)
        guard let form = Form.parse(text), let app = form["app_id"], client.clientIds.contains(app) else {
            throw IdentityFailure.audienceMismatch
        }
        let type = form["referrer_type"] ?? ""
        guard type != "INCOMPLETE_SIGN_UP" else { return nil }
        let subject = try OpenIDVerifier.subject(form["user_id"].map { .string($0) })
        // Reports have no id, so reports of the same kind within an hour count as the same.
        return SignalRules.Event(
            identity: client.identity(subject),
            kind: type.hasSuffix("ACCOUNT_DELETE") ? .accountDeleted : .consentRevoked,
            id: "\(subject) \(type) \(moment.milliseconds / 3_600_000)")
    }
}

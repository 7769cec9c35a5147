import Foundation
import GatehouseWire

/// Verifies what identity providers have issued: outside of every transaction.
struct IdentityProviders: Sendable {
    private let keys: ProviderKeys
    private let fetch: @Sendable (OutgoingRequest) async throws -> OutgoingResponse

    init(environment: ServerEnvironment) {
        fetch = environment.fetch
        keys = ProviderKeys(fetch: environment.fetch, monotonicNanoseconds: environment.monotonicNanoseconds)
    }

    /// - Throws: ``IdentityFailure``.
    func verify(_ credential: Credential, in app: App, at moment: Moment) async throws -> VerifiedIdentity {
        guard let configuration = app.providers[credential.provider], configuration.isEnabled else {
            throw IdentityFailure.notConfigured
        }
        guard let idToken = credential.idToken else { throw IdentityFailure.incomplete("idToken") }
        let verifier = OpenIDVerifier(provider: credential.provider, configuration: configuration, keys: keys)
        let (subject, profile) = try await verifier.person(of: idToken, of: credential, at: moment)
        var tokens: IdentityTokens?
        // Only what there is a use for is kept.
        if configuration.keepsProfile ?? false {
            tokens = IdentityTokens(accessToken: credential.accessToken, profile: profile)
        } else if configuration.revocationURL != nil, let accessToken = credential.accessToken {
            tokens = IdentityTokens(accessToken: accessToken)
        }
        return VerifiedIdentity(
            key: IdentityKey(provider: credential.provider, namespace: "", subject: subject), tokens: tokens)
    }

    /// Revokes tokens at their provider (RFC 7009).
    ///
    /// - Throws: ``JobFailure``.
    func revoke(_ tokens: IdentityTokens, of provider: Provider, in app: App) async throws {
        guard let configuration = app.providers[provider], let url = configuration.revocationURL else {
            throw JobFailure(reason: "the app has no revocation URL for \(provider)", mayRetry: false)
        }
        guard let token = tokens.refreshToken ?? tokens.accessToken else { return }
        let form = [
            ("token", token.secretValue),
            ("token_type_hint", tokens.refreshToken == nil ? "access_token" : "refresh_token"),
            ("client_id", configuration.clientIds.first ?? ""),
        ].map { "\($0)=\(Self.formEncoded($1))" }.joined(separator: "&")
        let response: OutgoingResponse
        do {
            response = try await fetch(
                OutgoingRequest(
                    method: "POST", url: url, headers: ["Content-Type": "application/x-www-form-urlencoded"],
                    body: Data(form.utf8)))
        } catch {
            throw JobFailure(reason: "\(provider) can't be reached", mayRetry: true)
        }
        guard response.status == 200 else {
            throw JobFailure(
                reason: "\(provider) answered with status \(response.status)",
                mayRetry: response.status >= 500 || response.status == 429)
        }
    }

    private static func formEncoded(_ text: String) -> String {
        let allowed = CharacterSet(
            charactersIn: "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~")
        return text.addingPercentEncoding(withAllowedCharacters: allowed) ?? ""
    }
}

import Foundation
import GatehouseWire

/// Takes back what a person has allowed at a provider, after its member has left or the mapping is gone.
struct TokenRevocation: Sendable {
    let client: ProviderClient

    /// - Throws: ``IdentityFailure``.
    func revoke(_ payload: RevocationPayload, at moment: Moment) async throws {
        let tokens = payload.tokens
        var calls = client.description.revocation
        if calls.isEmpty, let url = try await client.endpoints()?.revocationURL {
            calls = [ProviderConfiguration.revocation(at: url)]
        }
        var values = tokens.accessToken.map(client.values(token:)) ?? client.values
        values["refreshToken"] = tokens.refreshToken?.secretValue
        values["subject"] = tokens.subject
        values["anyToken"] = (tokens.refreshToken ?? tokens.accessToken)?.secretValue
        values["anyTokenKind"] = tokens.refreshToken == nil ? "access_token" : "refresh_token"
        let secret = try client.clientSecret(at: moment)
        values["clientSecret"] = secret?.secretValue
        // A client without a secret says only who it is.
        values["clientBasic"] = secret.map { CodeExchange.basic(client.clientIds.first ?? "", $0) } ?? "none"
        for call in calls {
            // What a call brings anew it can do without where there is nothing to bring it by: a young token still lives.
            if call.captures.keys.allSatisfy({ values[$0] != nil }), !call.captures.isEmpty,
                (try? call.request(values)) == nil
            {
                continue
            }
            try await perform(call, &values)
        }
    }

    private func perform(_ call: ProviderCall, _ values: inout CallValues) async throws {
        guard call.success.isEmpty, call.captures.isEmpty else {
            _ = try await client.answer(to: call, &values)
            return
        }
        // RFC 7009: the status says it all, and the body may be empty.
        let response = try await client.fetch(try call.request(values))
        guard !(200...299).contains(response.status) else { return }
        throw ProviderClient.failure(response.status, (try? StrictJSON.parse(response.body)) ?? .null)
    }
}

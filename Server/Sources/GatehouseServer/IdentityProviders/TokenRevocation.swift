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
        for call in calls {
            // What a call brings anew it can do without where there is nothing to bring it by: a young token still lives.
            if call.captures.keys.allSatisfy({ values[$0] != nil }), !call.captures.isEmpty,
                (try? call.request(values)) == nil
            {
                continue
            }
            try await perform(call, &values, at: moment)
        }
    }

    private func perform(_ call: ProviderCall, _ values: inout CallValues, at moment: Moment) async throws {
        guard call.success.isEmpty, call.captures.isEmpty else {
            _ = try await client.answer(to: call, &values)
            return
        }
        // RFC 7009: the status says it all, and the body may be empty.
        var proof: CallAdditions?
        if call.isAuthenticated {
            proof = try await client.authentication(at: .revocation, moment: moment)
                .parameters(of: client.clientIds.first ?? "", at: moment)
        }
        let response = try await client.fetch(try call.request(values, adding: proof))
        guard !(200...299).contains(response.status) else { return }
        throw client.failure(response, isAuthenticated: call.isAuthenticated)
    }
}

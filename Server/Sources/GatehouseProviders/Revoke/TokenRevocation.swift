import GatehousePlatform
package import GatehouseSecurity
import GatehouseWire

/// Revokes a person's consent at a provider, after the member has withdrawn or the mapping was removed.
package struct TokenRevocation: Sendable {
    package let client: ProviderClient

    package init(client: ProviderClient) {
        self.client = client
    }

    /// - Throws: ``IdentityFailure``.
    package func revoke(_ tokens: IdentityTokens, at moment: Moment) async throws {
        var calls = client.description.revocation
        if calls.isEmpty, let url = try await client.endpoints()?.revocationURL {
            calls = [ProviderConfiguration.OpenID.revocation(at: url)]
        }
        var values = tokens.accessToken.map(client.values(token:)) ?? client.values
        values["refreshToken"] = tokens.refreshToken?.secretValue
        values["subject"] = tokens.subject
        values["anyToken"] = (tokens.refreshToken ?? tokens.accessToken)?.secretValue
        values["anyTokenKind"] = tokens.refreshToken == nil ? "access_token" : "refresh_token"
        for call in calls {
            // Without a refresh token, skip the refresh step; a recent access token is still valid.
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
        // RFC 7009: only the status matters, and the body may be empty.
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

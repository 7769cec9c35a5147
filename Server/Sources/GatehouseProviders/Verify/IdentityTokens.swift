import GatehousePlatform
package import GatehouseSecurity
package import GatehouseWire

/// What a provider issued besides the proof of identity.
package struct IdentityTokens: Sendable, Hashable, Codable {
    package var accessToken: ProviderToken?
    package var refreshToken: ProviderToken?
    /// The ID token, if nothing else was issued. Callers that may read the profile receive it.
    package var idToken: ProviderToken?
    /// What the provider reported about the person.
    package var profile: [String: JSONValue]?
    /// The tokens' owner at the provider, and the provider's region.
    package var subject: String?
    package var region: String?
    /// The client to which they were issued.
    package var clientId: String?
    /// Tokens from an earlier login, kept only for revoking them, if this login brought none that can be revoked.
    package var earlier: Revocable?
    /// How the consent is revoked; nil if the provider doesn't support it.
    package var revocation: Revocation?

    package init(
        accessToken: ProviderToken? = nil,
        refreshToken: ProviderToken? = nil,
        idToken: ProviderToken? = nil,
        profile: [String: JSONValue]? = nil,
        subject: String? = nil,
        region: String? = nil,
        clientId: String? = nil,
        earlier: Revocable? = nil,
        revocation: Revocation? = nil
    ) {
        self.accessToken = accessToken
        self.refreshToken = refreshToken
        self.idToken = idToken
        self.profile = profile
        self.subject = subject
        self.region = region
        self.clientId = clientId
        self.earlier = earlier
        self.revocation = revocation
    }

    package enum Revocation: String, Sendable, Hashable, Codable {
        /// Revoked with one of the tokens.
        case byToken
        /// Revoked with only the subject.
        case bySubject
    }

    /// Keeps only what is needed for revoking the consent.
    package mutating func forgetProfile() {
        profile = nil
        idToken = nil
    }

    /// The tokens with which a consent can be revoked.
    package struct Revocable: Sendable, Hashable, Codable {
        package var accessToken: ProviderToken?
        package var refreshToken: ProviderToken?
        package var region: String?
        package var clientId: String?
    }

    package var revocable: Revocable {
        guard accessToken == nil, refreshToken == nil, let earlier else {
            return Revocable(
                accessToken: accessToken, refreshToken: refreshToken, region: region, clientId: clientId)
        }
        return earlier
    }

    package mutating func use(_ revocable: Revocable) {
        accessToken = revocable.accessToken
        refreshToken = revocable.refreshToken
        region = revocable.region
        clientId = revocable.clientId
    }

    package var isRevocable: Bool {
        switch revocation {
        case nil: false
        case .byToken: revocable.accessToken != nil || revocable.refreshToken != nil
        case .bySubject: subject != nil
        }
    }
}

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

/// How an identity ends for which the player has given consent.
package enum ConsentEnd: Sendable, Hashable {
    case withdrawal
    case removal
}

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

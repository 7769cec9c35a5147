/// A device asks what an identity provider has reported about its player (INFO-2).
public struct OwnProfileRequest: Codable, Sendable, Hashable {
    /// The identity provider that has reported.
    public var provider: Provider

    /// Makes the request from its parts.
    public init(provider: Provider) {
        self.provider = provider
    }
}

/// What an identity provider told at a login whose session goes on (LOGIN-9).
public struct ProviderProfile: Codable, Sendable, Hashable {
    /// The identity provider that has reported.
    public var provider: Provider
    /// The account at the identity provider.
    public var subject: String
    /// The fields under the provider's own names, which differ between providers.
    public var profile: [String: JSONValue]
    /// The provider's access token, from a login by page or by credential.
    public var accessToken: ProviderToken?
    /// The provider's ID token, if the login brought no access token.
    public var idToken: ProviderToken?

    /// Makes the profile from its parts.
    public init(
        provider: Provider, subject: String, profile: [String: JSONValue], accessToken: ProviderToken?,
        idToken: ProviderToken? = nil
    ) {
        self.provider = provider
        self.subject = subject
        self.profile = profile
        self.accessToken = accessToken
        self.idToken = idToken
    }
}

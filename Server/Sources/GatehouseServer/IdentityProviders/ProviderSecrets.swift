public import GatehouseWire

/// What an app's configuration of an identity provider must not show: encrypted in the database, never published.
public struct ProviderSecrets: Codable, Sendable, Hashable {
    public var clientSecret: ProviderToken?
    /// In place of a client secret, at Apple.
    public var appleKey: AppleKey?
    /// What signs in place of a client secret, for `private_key_jwt`.
    public var clientKey: ClientKey?
    /// Kakao's admin key: it unlinks without a person's token, and shows that a webhook is Kakao's.
    public var adminKey: ProviderToken?
    /// Client secrets of regions, by the region's name.
    public var regions: [String: ProviderToken]?
    /// What a partner's calls hold, by the name that they call it.
    public var values: [String: ProviderToken]?

    public init(clientSecret: ProviderToken? = nil, appleKey: AppleKey? = nil, adminKey: ProviderToken? = nil) {
        self.clientSecret = clientSecret
        self.appleKey = appleKey
        self.adminKey = adminKey
    }

    /// A private key of a client, whose public half the provider knows.
    public struct ClientKey: Codable, Sendable, Hashable {
        /// The `kid` by which the provider knows it, where it wants one.
        public var keyId: String?
        /// PEM: a P-256 key, or an RSA key of at least 2048 bits.
        public var privateKey: ProviderToken

        public init(keyId: String? = nil, privateKey: ProviderToken) {
            self.keyId = keyId
            self.privateKey = privateKey
        }
    }

    /// A key of a team at Apple.
    public struct AppleKey: Codable, Sendable, Hashable {
        public var teamId: String
        public var keyId: String
        /// PEM, as Apple hands it out: a P-256 key.
        public var privateKey: ProviderToken

        public init(teamId: String, keyId: String, privateKey: ProviderToken) {
            self.teamId = teamId
            self.keyId = keyId
            self.privateKey = privateKey
        }
    }
}

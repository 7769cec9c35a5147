import GatehouseJSON
package import GatehouseSecurity
public import GatehouseWire

/// The secrets of an app's configuration of an identity provider. They are encrypted in the database and never published.
public struct ProviderSecrets: Codable, Sendable, Hashable {
    public var clientSecret: ProviderToken?
    /// Used instead of a client secret, at Apple.
    public var appleKey: AppleKey?
    /// Used instead of a client secret, for `private_key_jwt`.
    public var clientKey: ClientKey?
    /// Kakao's admin key. It unlinks a person without that person's token, and authenticates Kakao's webhooks.
    public var adminKey: ProviderToken?
    /// Client secrets of regions, by the region's name.
    public var regions: [String: ProviderToken]?
    /// The secret values in a partner's calls, by their placeholders.
    public var values: [String: ProviderToken]?

    public init(clientSecret: ProviderToken? = nil, appleKey: AppleKey? = nil, adminKey: ProviderToken? = nil) {
        self.clientSecret = clientSecret
        self.appleKey = appleKey
        self.adminKey = adminKey
    }

    /// A client's private key. The provider knows the public key.
    public struct ClientKey: Codable, Sendable, Hashable {
        /// The provider's `kid` for the key, if it requires one.
        public var keyId: String?
        /// PEM: a P-256 key, or an RSA key of at least 2048 bits.
        public var privateKey: ProviderToken

        public init(keyId: String? = nil, privateKey: ProviderToken) {
            self.keyId = keyId
            self.privateKey = privateKey
        }
    }

    /// A team's key at Apple.
    public struct AppleKey: Codable, Sendable, Hashable {
        public var teamId: String
        public var keyId: String
        /// A P-256 key as PEM, in the form that Apple provides.
        public var privateKey: ProviderToken

        public init(teamId: String, keyId: String, privateKey: ProviderToken) {
            self.teamId = teamId
            self.keyId = keyId
            self.privateKey = privateKey
        }
    }
}

extension ProviderConfiguration {
    /// The provider's secrets, decrypted.
    package func secrets(of provider: Provider, in app: AppID, vault: KeyVault) throws -> ProviderSecrets {
        guard let sealedSecrets else { return ProviderSecrets() }
        return try StoredJSON.read(
            ProviderSecrets.self, from: vault.open(sealedSecrets, for: .providerSecrets(provider, in: app)))
    }
}

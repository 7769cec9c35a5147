public import GatehouseWire

/// How an app verifies what an identity provider issues. No part of it is secret.
public struct ProviderConfiguration: Codable, Sendable, Hashable {
    /// The issuer, exactly as ID tokens name it.
    public var issuer: String
    /// The client ids that tokens may be issued for. Without one the provider can't be enabled (IDP-10).
    public var clientIds: [String]
    /// Where the provider publishes its keys.
    public var keysURL: String
    /// What its keys may sign with: the token does not choose.
    public var algorithms: [String]
    /// Where tokens are revoked (RFC 7009), if the provider offers it.
    public var revocationURL: String?
    /// What adapters take where the game's own call gives nothing (LOGIN-3).
    public var additionalInfo: [String: JSONValue]?
    /// Whether profile and access token are kept, encrypted, for the game's server to ask for (INFO-4). They are personal: an
    /// operator says so.
    public var keepsProfile: Bool?
    public var isEnabled: Bool

    public init(
        issuer: String, clientIds: [String], keysURL: String, algorithms: [String] = ["RS256"],
        revocationURL: String? = nil, additionalInfo: [String: JSONValue]? = nil,
        keepsProfile: Bool = false, isEnabled: Bool = true
    ) {
        self.issuer = issuer
        self.clientIds = clientIds
        self.keysURL = keysURL
        self.algorithms = algorithms
        self.revocationURL = revocationURL
        self.additionalInfo = additionalInfo
        self.keepsProfile = keepsProfile
        self.isEnabled = isEnabled
    }

    /// What a client may see.
    var published: ProviderSettings {
        ProviderSettings(clientId: clientIds.first, issuer: issuer, additionalInfo: additionalInfo)
    }
}

public import GatehouseWire

/// Gets a credential from one identity provider on this device, by its page or its library. A value that conforms is
/// registered in ``Configuration/adapters``.
public protocol AuthAdapter: Sendable {
    var provider: Provider { get }

    /// Prepares what a login needs. Called once before the first login; when it throws, the login ends with 3006, and the next
    /// one tries again.
    func start(_ settings: ProviderSettings) async throws

    /// Lets the player log in at the provider.
    ///
    /// - Throws: ``AdapterError`` for what has a code of its own. Everything else ends the login with 3009, and is its detail.
    func logIn(_ request: AdapterRequest) async throws -> Credential

    /// Forgets the player on this device: the next login asks the provider again. It can't fail; what it can't reach, it
    /// leaves.
    func logOut() async
}

extension AuthAdapter {
    public func start(_ settings: ProviderSettings) async throws {}
    public func logOut() async {}
}

/// What a login at a provider works with.
public struct AdapterRequest: Sendable {
    /// The provider's public settings, as the app has configured them.
    public let settings: ProviderSettings
    /// What the game gave with its call; a key that it lacks comes from the settings (LOGIN-3).
    public let additionalInfo: [String: JSONValue]

    public init(settings: ProviderSettings, additionalInfo: [String: JSONValue]) {
        self.settings = settings
        self.additionalInfo = (settings.additionalInfo ?? [:]).merging(additionalInfo) { _, own in own }
    }
}

/// What an adapter's login may end with.
public enum AdapterError: Error, Sendable, Hashable {
    /// The player closed the page: 3001.
    case cancelled
    /// The provider needs a login outside of the game first: 3203.
    case externalLoginRequired
    /// The provider's library failed, with its own code and message: 3009.
    case failed(code: Int, message: String)
}

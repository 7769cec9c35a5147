/// The use of a key of `additionalInfo` (LOGIN-3).
package enum AdditionalInfoUse: Sendable, Hashable {
    /// The scopes of the page: a list, or a text separated by blanks or commas.
    case scopes
    /// A parameter of the provider's page, with the provider's name for it.
    case parameter(String)
    /// One of the regions that the operator has set.
    case region
    /// The URL scheme with which the page comes back to the game. Only the operator can set it: if a client could, a login could end in
    /// another app.
    case callbackScheme
    /// The address of the fake world that replaces the provider. It is for development, and only the operator can set it.
    case fakeWorld

    /// Whether it says something of a page: a provider without one has no use for it.
    package var isForPages: Bool {
        switch self {
        case .scopes, .parameter, .callbackScheme: true
        case .region, .fakeWorld: false
        }
    }

    /// Whether a game's call may give it.
    package var isForCalls: Bool { self != .callbackScheme && self != .fakeWorld }
}

extension ProviderKind {
    /// The prefix of keys for the game's own adapters. They are stored and published, but not interpreted here.
    package static let ownKeyPrefix = "x-"
}

extension [String: AdditionalInfoUse] {
    /// Gamebase's names for the scopes of a page, as most providers have them.
    package static var scopes: [String: AdditionalInfoUse] { ["scope": .scopes, "scopes": .scopes] }
}

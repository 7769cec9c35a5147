import GatehouseWire

/// What a key of `additionalInfo` does (LOGIN-3).
enum AdditionalInfoUse: Sendable, Hashable {
    /// What the page asks for: a list, or a text with blanks or commas in between.
    case scopes
    /// A parameter of the provider's page, by the provider's name for it.
    case parameter(String)
    /// One of the regions that the operator has set.
    case region
    /// The scheme at which the page comes back to the game. Only the operator's counts: a client that could name one could have
    /// a login end in another app.
    case callbackScheme
    /// Where the fake world is that stands for the provider: for development, and the operator's alone.
    case fakeWorld

    /// Whether it says something of a page: a provider without one has no use for it.
    var isForPages: Bool {
        switch self {
        case .scopes, .parameter, .callbackScheme: true
        case .region, .fakeWorld: false
        }
    }

    /// Whether a game's call may give it.
    var isForCalls: Bool { self != .callbackScheme && self != .fakeWorld }
}

extension ProviderKind {
    /// What begins with this is for adapters of the game's own: stored and published, and not looked at here.
    static let ownKeyPrefix = "x-"

    /// The keys that a provider of this kind can use, by the names that Gamebase has for them.
    var additionalInfo: [String: AdditionalInfoUse] {
        let scopes: [String: AdditionalInfoUse] = ["scope": .scopes, "scopes": .scopes]
        return switch self {
        case .facebook: scopes.merging(["facebook_permission": .scopes]) { $1 }
        case .line: scopes.merging(["region": .region, "sub_code": .region]) { $1 }
        case .naver: ["service_name": .parameter("service_name"), "url_scheme_ios_only": .callbackScheme]
        case .payco: ["service_code": .parameter("serviceProviderCode"), "service_name": .parameter("serviceName")]
        case .gameCenter: [:]
        case .openID, .google, .kakao, .twitter, .weibo, .apple, .partner: scopes
        }
    }
}

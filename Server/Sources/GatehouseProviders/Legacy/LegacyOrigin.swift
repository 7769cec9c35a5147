package import GatehouseWire

/// The system that a credential is from, as one app has set it.
package struct LegacyOrigin: Sendable {
    package let app: AppID
    package let source: String
    package let kind: LegacySourceKind
    package let settings: LegacySettings
    /// The secret key of the old system, if the operator has given it.
    package let key: ProviderToken?

    package init(app: AppID, source: String, kind: LegacySourceKind, settings: LegacySettings, key: ProviderToken?) {
        self.app = app
        self.source = source
        self.kind = kind
        self.settings = settings
        self.key = key
    }

    /// Calls to the system have a circuit breaker of their own, as those to identity providers have.
    var share: ProviderGateway.Share { .init(app: app, provider: Provider("import/\(source)")) }

    /// What is particular about its credentials.
    var description: LegacyDescription { settings.isGatehouse ?? false ? .gatehouse : kind.description }

    func place(_ url: String) -> String { CallValues.place(url, at: settings.origin) }
}

/// The systems that players come from. Each is described in a file of `Sources`.
package enum LegacySourceKind: String, Sendable, CaseIterable, Codable {
    case firebase, playfab, nakama, gamebase, supabase, unity, eos, cognito, openid, csv

    package var description: LegacyDescription {
        switch self {
        case .firebase: .firebase
        case .supabase: .supabase
        case .unity: .unity
        case .eos: .eos
        case .cognito: .cognito
        case .openid: .openID
        case .nakama: .nakama
        case .gamebase: .gamebase
        case .playfab: .playFab
        case .csv: .csv
        }
    }
}

/// What an operator has set for a source of players. It holds no secret.
package struct LegacySettings: Sendable, Hashable, Codable {
    /// Whether a device's id alone is a credential.
    package enum BareIDs: String, Sendable, Codable, CaseIterable {
        case never, guests
    }

    /// What happens with a good token whose player was not imported.
    package enum UnknownPlayers: String, Sendable, Codable, CaseIterable {
        case create, refuse
    }

    /// Who checks the old session: this server, or the game's own.
    package enum Confirmation: String, Sendable, Codable, CaseIterable {
        case client, server
    }

    /// What happens with a second device that has a good token of a player whom another device has claimed.
    package enum SecondClaims: String, Sendable, Codable, CaseIterable {
        case refuse, move
    }

    /// The project, the title or the deployment there.
    package var project: String?
    /// The issuer in its tokens, where it is not the kind's own.
    package var issuer: String?
    /// The audience of its tokens, where it is not the project.
    package var audience: String?
    /// The tenant of the project, in systems that have several.
    package var tenant: String?
    /// Whether the OpenID Connect issuer is another Gatehouse, whose access tokens count; nil if it is none.
    package var isGatehouse: Bool?
    package var bareIDs = BareIDs.never
    package var unknownPlayers = UnknownPlayers.create
    package var confirmation = Confirmation.client
    package var secondClaims = SecondClaims.refuse
    /// The identity provider of the app for each name of one in the old system, besides those that every source has.
    package var providers: [String: Provider] = [:]
    /// The fake world that stands for the old system, for development.
    package var origin: String?

    package init() {}

    /// Names that mean one identity provider in every system that has them.
    private static let commonProviders: [String: Provider] = [
        "google.com": .google, "google": .google, "apple.com": .apple, "apple": .apple, "facebook.com": .facebook,
        "facebook": .facebook, "twitter.com": .twitter, "twitter": .twitter,
    ]

    /// The app's identity provider for a name in the old system.
    package func provider(named name: String) -> Provider? { providers[name] ?? Self.commonProviders[name] }
}

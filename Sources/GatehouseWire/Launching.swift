/// What a game fetches before anyone logs in (START-2).
public struct LaunchingInformation: Codable, Sendable, Hashable {
    /// The app.
    public var appId: AppID
    /// The app's status.
    public var status: LaunchingStatus
    /// Whether the app accepts logins now. If false, every login ends with ``ErrorCode/authNotPlayable`` (3701).
    public var isPlayable: Bool
    /// What the player should read, in ``language``; absent while there is no message.
    public var message: String?
    /// The maintenance that is going on or planned; absent if there is none.
    public var maintenance: Maintenance?
    /// The configured identity providers, with the settings that a client may know.
    public var providers: [Provider: ProviderSettings]
    /// The language of messages (BCP 47).
    public var language: String
    /// How often a signed-in client should send a heartbeat, in seconds.
    public var heartbeatSeconds: Int
    /// The server's clock, in milliseconds since 1970, UTC. Clients use it to sign proofs.
    public var serverDate: Int64
    /// Where the player finds another version of the game: an address of a store or a page. Absent unless a rule for this client has
    /// one.
    public var updateURL: String?

    /// Makes the value from its parts.
    public init(
        appId: AppID, status: LaunchingStatus, isPlayable: Bool, message: String?, maintenance: Maintenance?,
        providers: [Provider: ProviderSettings], language: String, heartbeatSeconds: Int, serverDate: Int64,
        updateURL: String? = nil
    ) {
        self.appId = appId
        self.status = status
        self.isPlayable = isPlayable
        self.message = message
        self.maintenance = maintenance
        self.providers = providers
        self.language = language
        self.heartbeatSeconds = heartbeatSeconds
        self.serverDate = serverDate
        self.updateURL = updateURL
    }
}

/// An app's status, with Gamebase's numbers. An open set: every 2xx is playable, including statuses that a newer server adds.
public struct LaunchingStatus: RawRepresentable, Codable, Sendable, Hashable {
    /// The value on the wire.
    public let rawValue: Int
    /// Wraps a value of the wire.
    public init(rawValue: Int) { self.rawValue = rawValue }

    /// The game is in service.
    public static let inService = LaunchingStatus(rawValue: 200)
    /// The game is in service, and an update is recommended.
    public static let recommendUpdate = LaunchingStatus(rawValue: 201)
    /// The game is in service, during a maintenance, for registered test devices only.
    public static let inServiceForTestDevices = LaunchingStatus(rawValue: 202)
    /// The game is being tested.
    public static let inTest = LaunchingStatus(rawValue: 203)
    /// The game is being reviewed by a store.
    public static let inReview = LaunchingStatus(rawValue: 204)
    /// The game is in its beta.
    public static let inBeta = LaunchingStatus(rawValue: 205)
    /// The game can be played only after an update.
    public static let requireUpdate = LaunchingStatus(rawValue: 300)
    /// The game has been shut down.
    public static let terminated = LaunchingStatus(rawValue: 302)
    /// The game is under maintenance.
    public static let maintenance = LaunchingStatus(rawValue: 303)
    /// All of the operator's games are under maintenance.
    public static let maintenanceOfAllServices = LaunchingStatus(rawValue: 304)

    /// Every status that an operator can set, with the name that the command and the documents use.
    public static let named: [(status: LaunchingStatus, name: String)] = [
        (.inService, "in-service"), (.recommendUpdate, "recommend-update"),
        (.inServiceForTestDevices, "in-service-for-test-devices"), (.inTest, "in-test"), (.inReview, "in-review"),
        (.inBeta, "in-beta"), (.requireUpdate, "require-update"), (.terminated, "terminated"),
        (.maintenance, "maintenance"), (.maintenanceOfAllServices, "maintenance-of-all-services"),
    ]

    /// Whether players may play.
    public var isPlayable: Bool { (200...299).contains(rawValue) }
    /// The status's name, such as `IN_SERVICE`, or its number if this version does not know it.
    public var name: String { Self.named.first { $0.status == self }?.name ?? String(rawValue) }

    /// Decodes the value.
    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(Int.self))
    }

    /// Encodes the value.
    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A maintenance window: from ``beginDate`` (inclusive) to ``endDate`` (exclusive), in milliseconds since 1970, UTC.
public struct Maintenance: Codable, Sendable, Hashable {
    /// When the maintenance begins, in milliseconds since 1970, UTC.
    public var beginDate: Int64
    /// When the maintenance ends, in milliseconds since 1970, UTC.
    public var endDate: Int64
    /// What the player should read, in the player's language.
    public var message: String?
    /// A page with more about the maintenance.
    public var url: String?
    /// The operator's reason as one word, for a game's own decisions. Players read ``message``.
    public var reason: String?

    /// Makes the value from its parts.
    public init(beginDate: Int64, endDate: Int64, message: String?, url: String?, reason: String? = nil) {
        self.beginDate = beginDate
        self.endDate = endDate
        self.message = message
        self.url = url
        self.reason = reason
    }
}

/// The settings of a configured identity provider that a client may know. They never contain a secret.
public struct ProviderSettings: Codable, Sendable, Hashable {
    /// The app's client id at the provider.
    public var clientId: String?
    /// The OpenID Connect issuer.
    public var issuer: String?
    /// Whether players can log in with a browser.
    public var hasBrowserLogin: Bool?
    /// The regions to choose from, if the provider has several: `additionalInfo` names one as `region`.
    public var regions: [String]?
    /// What an adapter uses when the game's call doesn't set a key (LOGIN-3).
    public var additionalInfo: [String: JSONValue]?

    /// Makes the value from its parts.
    public init(
        clientId: String? = nil, issuer: String? = nil, hasBrowserLogin: Bool? = nil, regions: [String]? = nil,
        additionalInfo: [String: JSONValue]? = nil
    ) {
        self.clientId = clientId
        self.issuer = issuer
        self.hasBrowserLogin = hasBrowserLogin
        self.regions = regions
        self.additionalInfo = additionalInfo
    }
}

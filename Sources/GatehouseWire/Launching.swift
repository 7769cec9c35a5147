/// What a game fetches before anyone logs in (START-2).
public struct LaunchingInformation: Codable, Sendable, Hashable {
    public var appId: AppID
    public var status: LaunchingStatus
    /// Whether the app accepts logins now. If false, every login ends with 3701.
    public var isPlayable: Bool
    /// What the player should read, in ``language``; absent while there is no message.
    public var message: String?
    public var maintenance: Maintenance?
    /// The configured identity providers, with the settings that a client may know.
    public var providers: [Provider: ProviderSettings]
    /// The language of messages (BCP 47).
    public var language: String
    /// How often a signed-in client should send a heartbeat.
    public var heartbeatSeconds: Int
    /// The server's clock, in milliseconds since 1970, UTC. Clients use it to sign proofs.
    public var serverDate: Int64

    public init(
        appId: AppID, status: LaunchingStatus, isPlayable: Bool, message: String?, maintenance: Maintenance?,
        providers: [Provider: ProviderSettings], language: String, heartbeatSeconds: Int, serverDate: Int64
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
    }
}

/// An app's status, with Gamebase's numbers. An open set: every 2xx is playable, including statuses that a newer server adds.
public struct LaunchingStatus: RawRepresentable, Codable, Sendable, Hashable {
    public let rawValue: Int
    public init(rawValue: Int) { self.rawValue = rawValue }

    public static let inService = LaunchingStatus(rawValue: 200)
    public static let recommendUpdate = LaunchingStatus(rawValue: 201)
    public static let inServiceForTestDevices = LaunchingStatus(rawValue: 202)
    public static let inTest = LaunchingStatus(rawValue: 203)
    public static let inReview = LaunchingStatus(rawValue: 204)
    public static let inBeta = LaunchingStatus(rawValue: 205)
    public static let requireUpdate = LaunchingStatus(rawValue: 300)
    public static let terminated = LaunchingStatus(rawValue: 302)
    public static let maintenance = LaunchingStatus(rawValue: 303)
    public static let maintenanceOfAllServices = LaunchingStatus(rawValue: 304)

    /// Every status that an operator can set, with the name that the command and the documents use.
    public static let named: [(status: LaunchingStatus, name: String)] = [
        (.inService, "in-service"), (.recommendUpdate, "recommend-update"),
        (.inServiceForTestDevices, "in-service-for-test-devices"), (.inTest, "in-test"), (.inReview, "in-review"),
        (.inBeta, "in-beta"), (.requireUpdate, "require-update"), (.terminated, "terminated"),
        (.maintenance, "maintenance"), (.maintenanceOfAllServices, "maintenance-of-all-services"),
    ]

    public var isPlayable: Bool { (200...299).contains(rawValue) }
    public var name: String { Self.named.first { $0.status == self }?.name ?? String(rawValue) }

    public init(from decoder: any Decoder) throws {
        self.init(rawValue: try decoder.singleValueContainer().decode(Int.self))
    }

    public func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        try container.encode(rawValue)
    }
}

/// A maintenance window: from ``beginDate`` (inclusive) to ``endDate`` (exclusive), in milliseconds since 1970, UTC.
public struct Maintenance: Codable, Sendable, Hashable {
    public var beginDate: Int64
    public var endDate: Int64
    public var message: String?
    public var url: String?
    /// The operator's reason as one word, for a game's own decisions. Players read ``message``.
    public var reason: String?

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
    public var clientId: String?
    /// The OpenID Connect issuer.
    public var issuer: String?
    /// Whether players can log in with a browser.
    public var hasBrowserLogin: Bool?
    /// The regions to choose from, if the provider has several: `additionalInfo` names one as `region`.
    public var regions: [String]?
    /// What an adapter uses when the game's call doesn't set a key (LOGIN-3).
    public var additionalInfo: [String: JSONValue]?

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

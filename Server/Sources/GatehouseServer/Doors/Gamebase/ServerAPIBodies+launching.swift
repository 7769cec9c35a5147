import GatehouseCore
import GatehouseWire

/// A member that is always present and null if there is no value, as in Gamebase's documents.
struct OrNull<Value: Encodable & Sendable>: Encodable, Sendable {
    let value: Value?

    init(_ value: Value?) {
        self.value = value
    }

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        guard let value else { return try container.encodeNil() }
        try container.encode(value)
    }
}

struct MaintenanceEntry: Encodable, Sendable {
    /// `APP`: maintenance of the game; `SYSTEM`: maintenance of everything.
    let typeCode: String
    let beginDate: OrNull<ServerAPIDate>
    let endDate: OrNull<ServerAPIDate>
    let url: OrNull<String>
    /// In the response about maintenance only since version 1.3.
    var reason: OrNull<String>?
    let message: OrNull<String>
}

struct LaunchingAnswer: Encodable, Sendable {
    struct Status: Encodable, Sendable {
        let code: LaunchingStatus
        let message: String
    }

    struct AccessInfo: Encodable, Sendable {
        let serverAddress = OrNull<String>(nil)
        let csInfo: OrNull<String>
    }

    struct RelatedURLs: Encodable, Sendable {
        let termsUrl = OrNull<String>(nil)
        let csUrl: OrNull<String>
        let punishRuleUrl = OrNull<String>(nil)
        let personalInfoCollectionUrl = OrNull<String>(nil)
    }

    struct Install: Encodable, Sendable {
        let url: OrNull<String>
    }

    struct AppEntry: Encodable, Sendable {
        let storeCode: OrNull<String>
        let accessInfo: AccessInfo
        let relatedUrls: RelatedURLs
        let install: Install
    }

    struct LaunchingData: Encodable, Sendable {
        let status: Status
        let app: AppEntry
        let maintenance: MaintenanceEntry?
    }

    let header: ResultHeader
    let launchingData: LaunchingData
}

struct MaintenanceAnswer: Encodable, Sendable {
    let header: ResultHeader
    let appId: AppID
    let underMaintenance: Bool
    /// Present since version 1.3.
    var maintenance: MaintenanceEntry?
    /// Present before version 1.3.
    var maintenances: [MaintenanceEntry]?
}

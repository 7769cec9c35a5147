// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
import Gatehouse
import GatehouseWire

/// The game's status. 2xx is playable.
#if canImport(ObjectiveC)
@objc
#endif
public enum TCGBLaunchingStatus: Int, Sendable, CaseIterable {
    /// The status is not known yet.
    case NOT_INITIALIZED = 0
    /// The game is in service.
    case IN_SERVICE = 200
    /// The game is in service, and an update is recommended.
    case RECOMMEND_UPDATE = 201
    /// The game is in service, during a maintenance, for registered test devices only.
    case IN_SERVICE_BY_QA_WHITE_LIST = 202
    /// The game is being tested.
    case IN_TEST = 203
    /// The game is being reviewed by a store.
    case IN_REVIEW = 204
    /// The game is in its beta.
    case IN_BETA = 205
    /// The game can be played only after an update.
    case REQUIRE_UPDATE = 300
    /// Never sent: a ban is error 7.
    case BLOCKED_USER = 301
    /// The game has been shut down.
    case TERMINATED_SERVICE = 302
    /// The game is under maintenance.
    case INSPECTING_SERVICE = 303
    /// All of the operator's games are under maintenance.
    case INSPECTING_ALL_SERVICES = 304
    /// Never sent: a failure of the server is error 8001.
    case INTERNAL_SERVER_ERROR = 500

    /// A status of a newer server is reduced to what matters to the player: in service, or not.
    init(_ status: LaunchingStatus) {
        self = TCGBLaunchingStatus(rawValue: status.rawValue) ?? (status.isPlayable ? .IN_SERVICE : .INSPECTING_SERVICE)
    }
}

/// What a game fetches before anyone logs in.
#if canImport(ObjectiveC)
@objc(TCGBLaunching) @objcMembers
#endif
public final class TCGBLaunching: NSObject {
    /// The status from the last start or heartbeat; 0 before the first start.
    public static func launchingStatus() -> TCGBLaunchingStatus {
        TCGBGamebase.client.launching.map { TCGBLaunchingStatus($0.status) } ?? .NOT_INITIALIZED
    }

    /// The result of the last start, in the form of Gamebase's launching information; nil before the first start.
    public static func launchingInformations() -> [String: Any]? {
        TCGBGamebase.client.launching.map { TCGBGamebase.client.json(of: $0).foundation }
    }

    /// Adds a handler for changes of the game's status. It is called on the main thread with `code`, a ``TCGBLaunchingStatus``, and, where
    /// the operator has given one, `message`.
    ///
    /// - Returns: true.
    @available(*, deprecated, message: "Use TCGBGamebase.addEventHandler(_:) and its category observerLaunching.")
    @discardableResult
    public static func addObserver(onChangedStatusNotification handler: @escaping LaunchingStatusHandler) -> Bool {
        TCGBGamebase.client.events.launchingStatus.add(HandlerToken(handler)) { handler($0.foundation) }
        return true
    }

    /// Removes a handler that was added with ``addObserver(onChangedStatusNotification:)``.
    ///
    /// - Returns: false if there is no such handler.
    @available(*, deprecated, message: "Use TCGBGamebase.removeEventHandler(_:).")
    @discardableResult
    public static func removeObserver(onChangedStatusNotification handler: @escaping LaunchingStatusHandler) -> Bool {
        TCGBGamebase.client.events.launchingStatus.remove(HandlerToken(handler))
    }
}

extension LaunchingInformation {
    /// The launching information in the form of Gamebase's JSON.
    func gamebaseJSON(storeCode: String) -> [String: JSONValue] {
        var idP: [String: JSONValue] = [:]
        for (provider, settings) in providers {
            var entry: [String: JSONValue] = [:]
            entry["clientId"] = settings.clientId.map { .string($0) }
            entry["channels"] = settings.regions.map { .array($0.map { ["region": .string($0)] }) }
            entry["additional"] = settings.additionalInfo.map { .string($0.text()) }
            idP[provider.rawValue] = .object(entry)
        }
        let isTestDevice = status == .inServiceForTestDevices
        var launching: [String: JSONValue] = [
            "status": ["code": .integer(Int64(status.rawValue)), "message": .string(message ?? status.name)],
            "app": [
                "idP": .object(idP), "storeCode": .string(storeCode),
                "language": ["defaultLanguage": .string(language)],
            ],
            "user": [
                "testDevice": [
                    "matchingFlag": .bool(isTestDevice), "matchingTypes": .array(isTestDevice ? ["deviceKey"] : []),
                ]
            ],
        ]
        if let updateURL, case .object(var app)? = launching["app"] {
            app["install"] = ["url": .string(updateURL)]
            launching["app"] = .object(app)
        }
        if let maintenance {
            var entry: [String: JSONValue] = [
                "typeCode": "APP", "beginDate": .integer(maintenance.beginDate),
                "endDate": .integer(maintenance.endDate),
            ]
            entry["message"] = maintenance.message.map { .string($0) }
            entry["url"] = maintenance.url.map { .string($0) }
            entry["reason"] = (maintenance.reason ?? maintenance.message).map { .string($0) }
            launching["maintenance"] = .object(entry)
        }
        return ["date": .integer(serverDate), "launching": .object(launching)]
    }
}

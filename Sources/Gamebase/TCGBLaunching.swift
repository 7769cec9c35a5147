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
    case IN_SERVICE = 200
    case RECOMMEND_UPDATE = 201
    case IN_SERVICE_BY_QA_WHITE_LIST = 202
    case IN_TEST = 203
    case IN_REVIEW = 204
    case IN_BETA = 205
    case REQUIRE_UPDATE = 300
    case BLOCKED_USER = 301
    case TERMINATED_SERVICE = 302
    case INSPECTING_SERVICE = 303
    case INSPECTING_ALL_SERVICES = 304
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
    public static func launchingInformations() -> [String: Any]? { TCGBGamebase.client.launching.map(dictionary) }

    static func dictionary(_ information: LaunchingInformation) -> [String: Any] {
        json(information).foundation
    }

    private static func json(_ information: LaunchingInformation) -> [String: JSONValue] {
        var idP: [String: JSONValue] = [:]
        for (provider, settings) in information.providers {
            var entry: [String: JSONValue] = [:]
            entry["clientId"] = settings.clientId.map { .string($0) }
            entry["channels"] = settings.regions.map { .array($0.map { ["region": .string($0)] }) }
            if let info = settings.additionalInfo {
                entry["additional"] = .string(info.text())
            }
            idP[provider.rawValue] = .object(entry)
        }
        let isTestDevice = information.status == .inServiceForTestDevices
        var launching: [String: JSONValue] = [
            "status": [
                "code": .integer(Int64(information.status.rawValue)),
                "message": .string(information.message ?? information.status.name),
            ],
            "app": [
                "idP": .object(idP), "storeCode": .string(TCGBGamebase.client.configuration?.storeCode() ?? "AS"),
                "language": ["defaultLanguage": .string(information.language)],
            ],
            "user": [
                "testDevice": [
                    "matchingFlag": .bool(isTestDevice), "matchingTypes": .array(isTestDevice ? ["deviceKey"] : []),
                ]
            ],
        ]
        if let maintenance = information.maintenance {
            var entry: [String: JSONValue] = [
                "typeCode": "APP", "beginDate": .integer(maintenance.beginDate),
                "endDate": .integer(maintenance.endDate),
            ]
            entry["message"] = maintenance.message.map { .string($0) }
            entry["url"] = maintenance.url.map { .string($0) }
            entry["reason"] = (maintenance.reason ?? maintenance.message).map { .string($0) }
            launching["maintenance"] = .object(entry)
        }
        return ["date": .integer(information.serverDate), "launching": .object(launching)]
    }
}

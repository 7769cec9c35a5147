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
    public static func launchingInformations() -> [String: Any]? {
        TCGBGamebase.client.launching.map { TCGBGamebase.client.json(of: $0).foundation }
    }
}

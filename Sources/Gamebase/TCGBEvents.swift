// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import Foundation
import GatehouseWire

#if canImport(ObjectiveC)
/// A block: so that Objective-C's own can be removed again. A closure of Swift's becomes another block each time.
public typealias GamebaseEventHandler = @convention(block) (TCGBGamebaseEventMessage) -> Void
#else
public typealias GamebaseEventHandler = (TCGBGamebaseEventMessage) -> Void
#endif

/// What happens to the player without the game's doing.
public enum TCGBGamebaseEventCategory: String, Sendable, CaseIterable {
    /// The token is invalid, and none of the other events says why: the player logs in anew.
    case loggedOut
    /// The player has turned away at an identity provider.
    case idPRevoked
    /// An operator has kicked the player out: a message to show.
    case serverPushAppKickoutMessageReceived
    /// An operator has kicked the player out.
    case serverPushAppKickout
    /// The guest was moved to another device: a message to show. It comes to a game that was closed meanwhile with the login by the
    /// last provider, which ends with 3102.
    case serverPushTransferKickout
    /// The game's status has changed.
    case observerLaunching
    /// The server can't be reached, or again.
    case observerNetwork
    /// The member was banned (7) or has withdrawn (6).
    case observerHeartbeat
    // Never sent: what Gatehouse does not offer.
    case purchaseUpdated, pushReceivedMessage, pushClickMessage, pushClickAction
}

#if canImport(ObjectiveC)
@objc
#endif
public enum TCGBIdPRevokedCode: Int, Sendable, CaseIterable {
    /// It was the member's only provider.
    case IDP_REVOKED_WITHDRAW = 600
    /// It was the login's provider, and there are others.
    case IDP_REVOKED_OVERWRITE_LOGIN_AND_REMOVE_MAPPING = 601
    /// It was another provider than the login's.
    case IDP_REVOKED_REMOVE_MAPPING = 602
}

/// One event.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventMessage) @objcMembers
#endif
public final class TCGBGamebaseEventMessage: TCGBValueObject, @unchecked Sendable {
    /// The raw value of a ``TCGBGamebaseEventCategory``.
    public var category: String { json["category"]?.stringValue ?? "" }
    /// JSON, which a class for the category reads.
    public var data: String? { json["data"]?.stringValue }

    convenience init(_ category: TCGBGamebaseEventCategory, _ data: [String: JSONValue]) {
        self.init(json: [
            "category": .string(category.rawValue), "data": .string(TCGBValueObject.text(data, [])),
        ])
    }

    #if canImport(ObjectiveC)
    @objc(gamebaseEventMessageFromJsonString:)
    #endif
    public static func gamebaseEventMessage(jsonString: String?) -> TCGBGamebaseEventMessage {
        TCGBGamebaseEventMessage(json: parse(jsonString))
    }
}

/// What the observer categories bring.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventObserverData) @objcMembers
#endif
public final class TCGBGamebaseEventObserverData: TCGBValueObject, @unchecked Sendable {
    /// A ``TCGBLaunchingStatus``, a ``NetworkStatus``, or an error's code.
    public var code: Int64 { json["code"]?.integer ?? 0 }
    public var message: String? { json["message"]?.stringValue }
    public var extras: String? { json["extras"]?.stringValue }

    #if canImport(ObjectiveC)
    @objc(gamebaseEventObserverDataFromJsonString:)
    #endif
    public static func gamebaseEventObserverData(jsonString: String?) -> TCGBGamebaseEventObserverData {
        TCGBGamebaseEventObserverData(json: parse(jsonString))
    }
}

/// What ``TCGBGamebaseEventCategory/loggedOut`` brings.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventLoggedOutData) @objcMembers
#endif
public final class TCGBGamebaseEventLoggedOutData: TCGBValueObject, @unchecked Sendable {
    public var message: String? { json["message"]?.stringValue }
    /// JSON, whose `reason` is a word of Gatehouse's: `session_expired`, `logged_out`, `replaced`, ...
    public var extras: String? { json["extras"]?.stringValue }

    #if canImport(ObjectiveC)
    @objc(gamebaseEventLoggedOutDataFromJsonString:)
    #endif
    public static func gamebaseEventLoggedOutData(jsonString: String?) -> TCGBGamebaseEventLoggedOutData {
        TCGBGamebaseEventLoggedOutData(json: parse(jsonString))
    }
}

/// What ``TCGBGamebaseEventCategory/idPRevoked`` brings.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventIdPRevokedData) @objcMembers
#endif
public final class TCGBGamebaseEventIdPRevokedData: TCGBValueObject, @unchecked Sendable {
    /// A ``TCGBIdPRevokedCode``.
    public var code: Int64 { json["code"]?.integer ?? 0 }
    /// The provider that was turned away from.
    public var idPType: String { json["idPType"]?.stringValue ?? "" }
    /// The other providers that are mapped.
    public var authMappingList: [String] {
        (json["authMappingList"]?.arrayValue ?? []).compactMap(\.stringValue)
    }
    public var extras: String? { json["extras"]?.stringValue }

    #if canImport(ObjectiveC)
    @objc(gamebaseEventIdPRevokedDataFromJsonString:)
    #endif
    public static func gamebaseEventIdPRevokedData(jsonString: String?) -> TCGBGamebaseEventIdPRevokedData {
        TCGBGamebaseEventIdPRevokedData(json: parse(jsonString))
    }
}

/// What the server push categories bring.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventServerPushData) @objcMembers
#endif
public final class TCGBGamebaseEventServerPushData: TCGBValueObject, @unchecked Sendable {
    /// What to show: `{"defaultLanguage", "messages": {LANGUAGE: {"title", "message"}}}`.
    public var popup: [String: Any]? { json["popup"]?.foundation as? [String: Any] }
    public var extras: String? { json["extras"]?.stringValue }

    #if canImport(ObjectiveC)
    @objc(gamebaseEventServerPushDataFromJsonString:)
    #endif
    public static func gamebaseEventServerPushData(jsonString: String?) -> TCGBGamebaseEventServerPushData {
        TCGBGamebaseEventServerPushData(json: parse(jsonString))
    }
}

/// An event as older versions have it.
#if canImport(ObjectiveC)
@objc(TCGBServerPushMessage) @objcMembers
#endif
public final class TCGBServerPushMessage: NSObject, @unchecked Sendable {
    /// ``kTCGBServerPushNotificationTypeAppKickout`` or ``kTCGBServerPushNotificationTypeTransferKickout``.
    public let type: String
    public let data: String

    init(type: String, data: String) {
        self.type = type
        self.data = data
    }
}

/// An event as older versions have it.
#if canImport(ObjectiveC)
@objc(TCGBObserverMessage) @objcMembers
#endif
public final class TCGBObserverMessage: NSObject, @unchecked Sendable {
    /// ``kTCGBObserverMessageTypeNetwork``, ``kTCGBObserverMessageTypeLaunching`` or ``kTCGBObserverMessageTypeHeartbeat``.
    public let type: String
    /// `code` and `message`.
    public let data: [String: Any]

    init(type: String, data: [String: Any]) {
        self.type = type
        self.data = data
    }
}

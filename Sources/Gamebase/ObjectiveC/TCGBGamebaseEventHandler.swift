// swift-format-ignore-file: AlwaysUseLowerCamelCase
public import Foundation
import GatehouseWire

/// Events that the game itself has not caused.
public enum TCGBGamebaseEventCategory: String, Sendable, CaseIterable {
    /// The token is invalid and no other event gives the reason: the player must log in again.
    case loggedOut
    /// The player has revoked the consent at an identity provider.
    case idPRevoked
    /// An operator has kicked the player out. The event has a message to show.
    case serverPushAppKickoutMessageReceived
    /// An operator has kicked the player out.
    case serverPushAppKickout
    /// The guest was moved to another device. The event has a message to show. A game that was closed at that time receives it with the
    /// login by the last provider, which ends with 3102.
    case serverPushTransferKickout
    /// The game's status has changed.
    case observerLaunching
    /// The server can't be reached, or can be reached again.
    case observerNetwork
    /// The member was banned (7) or has withdrawn (6).
    case observerHeartbeat
    /// Never sent, because Gatehouse has no purchases.
    case purchaseUpdated
    /// Never sent, because Gatehouse has no push messages.
    case pushReceivedMessage
    /// Never sent, because Gatehouse has no push messages.
    case pushClickMessage
    /// Never sent, because Gatehouse has no push messages.
    case pushClickAction
}

/// What the game does after a player has revoked the consent at an identity provider.
#if canImport(ObjectiveC)
@objc
#endif
public enum TCGBIdPRevokedCode: Int, Sendable, CaseIterable {
    /// The consent was revoked at the member's only provider.
    case IDP_REVOKED_WITHDRAW = 600
    /// The consent was revoked at the login's provider, and the member has others.
    case IDP_REVOKED_OVERWRITE_LOGIN_AND_REMOVE_MAPPING = 601
    /// The consent was revoked at another provider than the login's.
    case IDP_REVOKED_REMOVE_MAPPING = 602
}

/// An event.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventMessage) @objcMembers
#endif
public final class TCGBGamebaseEventMessage: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// The raw value of a ``TCGBGamebaseEventCategory``.
    public var category: String { value.category ?? "" }
    /// JSON, to be read with the class of the category.
    public var data: String? { value.data }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    convenience init(_ category: TCGBGamebaseEventCategory, _ data: [String: JSONValue]) {
        self.init(JSONObject(Value(category: category.rawValue, data: data.text())))
    }

    /// Reads an event from its JSON.
    #if canImport(ObjectiveC)
    @objc(gamebaseEventMessageFromJsonString:)
    #endif
    public static func gamebaseEventMessage(jsonString: String?) -> TCGBGamebaseEventMessage {
        TCGBGamebaseEventMessage(JSONObject(text: jsonString))
    }
}

/// The data of the observer categories.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventObserverData) @objcMembers
#endif
public final class TCGBGamebaseEventObserverData: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// A ``TCGBLaunchingStatus``, a ``NetworkStatus``, or an error's code.
    public var code: Int64 { value.code ?? 0 }
    /// A message for developers.
    public var message: String? { value.message }
    /// Further information, as JSON.
    public var extras: String? { value.extras }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    /// Reads the data from ``TCGBGamebaseEventMessage/data``.
    #if canImport(ObjectiveC)
    @objc(gamebaseEventObserverDataFromJsonString:)
    #endif
    public static func gamebaseEventObserverData(jsonString: String?) -> TCGBGamebaseEventObserverData {
        TCGBGamebaseEventObserverData(JSONObject(text: jsonString))
    }
}

/// The data of ``TCGBGamebaseEventCategory/loggedOut``.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventLoggedOutData) @objcMembers
#endif
public final class TCGBGamebaseEventLoggedOutData: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// A message for developers.
    public var message: String? { value.message }
    /// JSON, whose `reason` is one of Gatehouse's words: `session_expired`, `logged_out`, `replaced`, ...
    public var extras: String? { value.extras }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    /// Reads the data from ``TCGBGamebaseEventMessage/data``.
    #if canImport(ObjectiveC)
    @objc(gamebaseEventLoggedOutDataFromJsonString:)
    #endif
    public static func gamebaseEventLoggedOutData(jsonString: String?) -> TCGBGamebaseEventLoggedOutData {
        TCGBGamebaseEventLoggedOutData(JSONObject(text: jsonString))
    }
}

/// The data of ``TCGBGamebaseEventCategory/idPRevoked``.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventIdPRevokedData) @objcMembers
#endif
public final class TCGBGamebaseEventIdPRevokedData: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// A ``TCGBIdPRevokedCode``.
    public var code: Int64 { value.code ?? 0 }
    /// The provider at which the consent was revoked.
    public var idPType: String { value.idPType ?? "" }
    /// The other providers that are mapped.
    public var authMappingList: [String] { value.authMappingList ?? [] }
    /// Further information, as JSON.
    public var extras: String? { value.extras }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    /// Reads the data from ``TCGBGamebaseEventMessage/data``.
    #if canImport(ObjectiveC)
    @objc(gamebaseEventIdPRevokedDataFromJsonString:)
    #endif
    public static func gamebaseEventIdPRevokedData(jsonString: String?) -> TCGBGamebaseEventIdPRevokedData {
        TCGBGamebaseEventIdPRevokedData(JSONObject(text: jsonString))
    }
}

/// The data of the server push categories.
#if canImport(ObjectiveC)
@objc(TCGBGamebaseEventServerPushData) @objcMembers
#endif
public final class TCGBGamebaseEventServerPushData: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// The message to show: `{"defaultLanguage", "messages": {LANGUAGE: {"title", "message"}}}`.
    public var popup: [String: Any]? { value.popup?.foundation }
    /// Further information, as JSON.
    public var extras: String? { value.extras }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    /// Reads the data from ``TCGBGamebaseEventMessage/data``.
    #if canImport(ObjectiveC)
    @objc(gamebaseEventServerPushDataFromJsonString:)
    #endif
    public static func gamebaseEventServerPushData(jsonString: String?) -> TCGBGamebaseEventServerPushData {
        TCGBGamebaseEventServerPushData(JSONObject(text: jsonString))
    }
}

/// An event in the form of older versions.
#if canImport(ObjectiveC)
@objc(TCGBServerPushMessage) @objcMembers
#endif
public final class TCGBServerPushMessage: NSObject, Sendable {
    /// ``kTCGBServerPushNotificationTypeAppKickout`` or ``kTCGBServerPushNotificationTypeTransferKickout``.
    public let type: String
    /// JSON, as in ``TCGBGamebaseEventMessage/data``.
    public let data: String

    init(type: String, data: String) {
        self.type = type
        self.data = data
    }
}

/// An event in the form of older versions.
#if canImport(ObjectiveC)
@objc(TCGBObserverMessage) @objcMembers
#endif
public final class TCGBObserverMessage: NSObject, Sendable {
    /// ``kTCGBObserverMessageTypeNetwork``, ``kTCGBObserverMessageTypeLaunching`` or ``kTCGBObserverMessageTypeHeartbeat``.
    public let type: String
    /// `code` and `message`.
    public var data: [String: Any] { value.foundation }
    private let value: [String: JSONValue]

    init(type: String, data: [String: JSONValue]) {
        self.type = type
        value = data
    }
}

extension TCGBGamebaseEventMessage {
    struct Value: JSONMembers {
        var category: String?
        var data: String?
    }
}

extension TCGBGamebaseEventObserverData {
    struct Value: JSONMembers {
        var code: Int64?
        var message: String?
        var extras: String?
    }
}

extension TCGBGamebaseEventLoggedOutData {
    struct Value: JSONMembers {
        var message: String?
        var extras: String?
    }
}

extension TCGBGamebaseEventIdPRevokedData {
    struct Value: JSONMembers {
        var code: Int64?
        var idPType: String?
        var authMappingList: [String]?
        var extras: String?
    }
}

extension TCGBGamebaseEventServerPushData {
    struct Value: JSONMembers {
        var popup: [String: JSONValue]?
        var extras: String?
    }
}

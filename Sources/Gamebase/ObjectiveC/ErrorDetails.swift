public import Foundation
import Gatehouse
import GatehouseWire

// What comes with an error, in the form of Gamebase's JSON.

extension Ban {
    var gamebaseJSON: [String: JSONValue] {
        var json = [String: JSONValue](encoding: self)
        json["csInfo"] = json.removeValue(forKey: "contact")
        json["csUrl"] = json.removeValue(forKey: "contactUrl")
        return json
    }
}

extension ForcingMappingTicket {
    var gamebaseJSON: [String: JSONValue] {
        var json = [String: JSONValue](encoding: self)
        json["idPCode"] = json.removeValue(forKey: "provider")
        json["mappedMember"] = nil
        return json
    }
}

extension TCGBUpdateInfo {
    struct Value: JSONMembers {
        var installUrl: String?
        var message: String?
    }
}

extension JSONObject<TCGBUpdateInfo.Value> {
    /// The update in an error, from the server or from a game's own error.
    init?(_ error: TCGBError) {
        let extra = error.userInfo["updateInfo"]
        if let details = error.cause?.details.other["updateInfo"]?.objectValue {
            self.init(json: details)
        } else if let text = extra as? String {
            self.init(text: text)
        } else if let dictionary = extra as? [String: Any] {
            self.init(dictionary: dictionary)
        } else if let standing = error.cause?.standing, standing.launchingStatus == .requireUpdate {
            self.init(.init(message: standing.message))
        } else {
            return nil
        }
    }
}

/// Why and until when a player can't play. It comes with error 7.
#if canImport(ObjectiveC)
@objc(TCGBBanInfo) @objcMembers
#endif
public final class TCGBBanInfo: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: Ban

    /// The banned member.
    public var userId: String { value.userId.rawValue }
    /// `TEMPORARY` or `PERMANENT`.
    public var banType: String { value.banType.rawValue }
    /// Milliseconds since 1970, UTC.
    public var beginDate: NSNumber { NSNumber(value: value.beginDate) }
    /// Milliseconds since 1970, UTC; 0 for a permanent ban.
    public var endDate: NSNumber { NSNumber(value: value.endDate ?? 0) }
    /// What the player should read, in the player's language.
    public var message: String { value.message ?? "" }
    /// Contact information for the player, as text.
    public var csInfo: String? { value.contact }
    /// A page where the player can contact the operator.
    public var csUrl: String? { value.contactUrl }

    init(_ value: Ban) {
        self.value = value
        super.init(json: value.gamebaseJSON)
    }

    convenience init?(_ error: TCGBError) {
        guard let ban = error.cause?.ban else { return nil }
        self.init(ban)
    }

    /// The ban in an error; nil for any other error.
    public static func banInfo(fromError error: TCGBError) -> TCGBBanInfo? { TCGBBanInfo(error) }

    /// The same as ``banInfo(fromError:)``.
    @nonobjc public static func banInfo(from error: TCGBError) -> TCGBBanInfo? { TCGBBanInfo(error) }

    /// The same as ``TCGBValueObject/dictionary()``.
    public func dictionaryOfBanInfo() -> [String: Any] { dictionary() }
}

/// Resolves 3302: the identity belongs to another member, and the player may move it here or log in as that member.
#if canImport(ObjectiveC)
@objc(TCGBForcingMappingTicket) @objcMembers
#endif
public final class TCGBForcingMappingTicket: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: ForcingMappingTicket

    /// The member that asked for the mapping.
    public var userId: String { value.userId.rawValue }
    /// The member that has the identity.
    public var mappedUserId: String { value.mappedUserId.rawValue }
    /// The other member's status: `Y`, `B`, `T` or `P`.
    public var mappedUserValid: String { value.mappedUserValid.rawValue }
    /// The identity provider of the identity.
    public var idPCode: String { value.provider.rawValue }
    /// The secret that uses the ticket. It works once, for a limited time, and in this session.
    public var forcingMappingKey: String { value.forcingMappingKey.secretValue }
    /// When the ticket expires, in milliseconds since 1970, UTC.
    public var expirationDate: Int64 { value.expirationDate }
    /// Always nil, because the server keeps what the provider issued.
    public var accessToken: String? { nil }

    init(_ value: ForcingMappingTicket) {
        self.value = value
        super.init(json: value.gamebaseJSON)
    }

    convenience init?(_ error: TCGBError) {
        guard let ticket = error.cause?.forcingMappingTicket else { return nil }
        self.init(ticket)
    }

    /// The ticket in an error; nil for any other error.
    public static func forcingMappingTicket(fromError error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }

    /// The same as ``forcingMappingTicket(fromError:)``.
    @nonobjc public static func forcingMappingTicket(from error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }

    /// The same as ``forcingMappingTicket(fromError:)``.
    @available(*, deprecated, renamed: "forcingMappingTicket(fromError:)")
    public static func forcingMappingTicket(withError error: TCGBError) -> TCGBForcingMappingTicket? {
        TCGBForcingMappingTicket(error)
    }
}

/// This version of the game must be updated.
///
/// Gamebase reports this with error 2004, for a version that nobody has registered. Gatehouse serves every version: an operator
/// requires an update with the app's status (300), and then a login ends with 3701. Both errors contain this information.
#if canImport(ObjectiveC)
@objc(TCGBUpdateInfo) @objcMembers
#endif
public final class TCGBUpdateInfo: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// Where the newest version is; nil if the server does not know.
    public var installUrl: String? { value.installUrl }
    /// What the player should read, in the player's language.
    public var message: String? { value.message }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    convenience init?(_ error: TCGBError) {
        guard let value = JSONObject<Value>(error) else { return nil }
        self.init(value)
    }

    /// The update in an error; nil for any other error.
    public static func updateInfo(fromError error: TCGBError) -> TCGBUpdateInfo? { TCGBUpdateInfo(error) }

    /// The same as ``updateInfo(fromError:)``.
    @nonobjc public static func updateInfo(from error: TCGBError) -> TCGBUpdateInfo? { TCGBUpdateInfo(error) }

    /// Reads the value from a dictionary of the documented form.
    public static func updateInfo(fromDictionary dictionary: [String: Any]) -> TCGBUpdateInfo? {
        TCGBUpdateInfo(JSONObject(dictionary: dictionary))
    }
}

/// Why a player of NHN's Gamebase does not come to this device. It comes with error 3201.
///
/// | ``reason`` | What the game does |
/// |---|---|
/// | ``kTCGBMigrationProviderRequired`` | It has the player log in with one of ``providers``. |
/// | ``kTCGBMigrationGuestExists`` | It asks the player whether the old account may replace the guest on this device, and calls again with `replacingGuest`. |
/// | ``kTCGBMigrationClaimed`` | Another device has the account. It shows how to reach the support. |
/// | ``kTCGBMigrationUnknown`` | Nobody was imported by this id. It logs the player in as usual. |
/// | ``kTCGBMigrationClosed`` | The time of the move is over. It logs the player in as usual. |
/// | ``kTCGBMigrationServerRequired`` | The operator lets the game's own server alone bring players. |
#if canImport(ObjectiveC)
@objc(TCGBMigrationFailInfo) @objcMembers
#endif
public final class TCGBMigrationFailInfo: TCGBValueObject, @unchecked Sendable {  // Both are constants.
    /// One of the constants in the table above, or a word of a newer server.
    public let reason: String
    /// The identity providers with which the player can log in; nil unless the reason asks for one.
    public let providers: [String]?

    private init(reason: String, providers: [String]?) {
        self.reason = reason
        self.providers = providers
        var json: [String: JSONValue] = ["reason": .string(reason)]
        json["providers"] = providers.map { .array($0.map { .string($0) }) }
        super.init(json: json)
    }

    convenience init?(_ error: TCGBError) {
        guard let details = error.cause?.details, let reason = details.reason?.rawValue, reason.hasPrefix("legacy_")
        else { return nil }
        self.init(reason: reason, providers: details.providers?.map(\.rawValue))
    }

    /// The reason in an error; nil for any other error.
    public static func migrationFailInfo(fromError error: TCGBError) -> TCGBMigrationFailInfo? {
        TCGBMigrationFailInfo(error)
    }

    /// The same as ``migrationFailInfo(fromError:)``.
    @nonobjc public static func migrationFailInfo(from error: TCGBError) -> TCGBMigrationFailInfo? {
        TCGBMigrationFailInfo(error)
    }
}

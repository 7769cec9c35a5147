public import Foundation
import Gatehouse
import GatehouseWire

/// Why and until when a player can't play. It comes with error 7.
#if canImport(ObjectiveC)
@objc(TCGBBanInfo) @objcMembers
#endif
public final class TCGBBanInfo: TCGBValueObject, @unchecked Sendable {
    public var userId: String { json["userId"]?.stringValue ?? "" }
    /// `TEMPORARY` or `PERMANENT`.
    public var banType: String { json["banType"]?.stringValue ?? "" }
    /// Milliseconds since 1970, UTC.
    public var beginDate: NSNumber { NSNumber(value: json["beginDate"]?.integer ?? 0) }
    /// Milliseconds since 1970, UTC; 0 for a permanent ban.
    public var endDate: NSNumber { NSNumber(value: json["endDate"]?.integer ?? 0) }
    /// What the player should read, in the player's language.
    public var message: String { json["message"]?.stringValue ?? "" }
    /// Contact information for the player, as text.
    public var csInfo: String? { json["csInfo"]?.stringValue }
    /// A page where the player can contact the operator.
    public var csUrl: String? { json["csUrl"]?.stringValue }

    init(_ ban: Ban) {
        var json: [String: JSONValue] = [
            "userId": .string(ban.userId.rawValue), "banType": .string(ban.banType.rawValue),
            "beginDate": .integer(ban.beginDate),
        ]
        json["endDate"] = ban.endDate.map { .integer($0) }
        json["message"] = ban.message.map { .string($0) }
        json["csInfo"] = ban.contact.map { .string($0) }
        json["csUrl"] = ban.contactUrl.map { .string($0) }
        super.init(json: json)
    }

    convenience init?(_ error: TCGBError) {
        guard let ban = error.cause?.ban else { return nil }
        self.init(ban)
    }

    /// The ban in an error; nil for any other error.
    public static func banInfo(fromError error: TCGBError) -> TCGBBanInfo? { TCGBBanInfo(error) }

    @nonobjc public static func banInfo(from error: TCGBError) -> TCGBBanInfo? { TCGBBanInfo(error) }

    public func dictionaryOfBanInfo() -> [String: Any] { json.mapValues(\.foundation) }
}

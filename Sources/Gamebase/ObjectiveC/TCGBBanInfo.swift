public import Foundation
import Gatehouse
import GatehouseWire

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

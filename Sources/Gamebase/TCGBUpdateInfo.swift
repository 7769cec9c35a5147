import Foundation
import Gatehouse
import GatehouseWire

/// This version of the game must be updated.
///
/// Gamebase reports this with error 2004, for a version that nobody has registered. Gatehouse serves every version: an operator
/// requires an update with the app's status (300), and then a login ends with 3701. Both errors contain this information.
#if canImport(ObjectiveC)
@objc(TCGBUpdateInfo) @objcMembers
#endif
public final class TCGBUpdateInfo: TCGBValueObject, @unchecked Sendable {
    /// Where the newest version is; nil if the server does not know.
    public var installUrl: String? { json["installUrl"]?.stringValue }
    /// What the player should read, in the player's language.
    public var message: String? { json["message"]?.stringValue }

    convenience init?(_ error: TCGBError) {
        let details = error.cause?.details["updateInfo"]?.objectValue
        let extra = error.userInfo["updateInfo"]
        if let details {
            self.init(json: details)
        } else if let text = extra as? String {
            self.init(json: Self.parse(text))
        } else if let dictionary = extra as? [String: Any] {
            self.init(json: Self.members(of: dictionary))
        } else if let standing = error.cause?.standing, standing.launchingStatus == .requireUpdate {
            self.init(json: ["message": standing.message.map { .string($0) } ?? .null])
        } else {
            return nil
        }
    }

    /// The update in an error; nil for any other error.
    public static func updateInfo(fromError error: TCGBError) -> TCGBUpdateInfo? { TCGBUpdateInfo(error) }

    @nonobjc public static func updateInfo(from error: TCGBError) -> TCGBUpdateInfo? { TCGBUpdateInfo(error) }

    public static func updateInfo(fromDictionary dictionary: [String: Any]) -> TCGBUpdateInfo? {
        TCGBUpdateInfo(json: members(of: dictionary))
    }
}

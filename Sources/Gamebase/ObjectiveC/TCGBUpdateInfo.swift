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

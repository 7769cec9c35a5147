import Foundation
import Gatehouse
import GatehouseWire

/// A key of eight letters that moves a guest to another device (SDK 1.x).
#if canImport(ObjectiveC)
@objc(TCGBTransferKeyInfo) @objcMembers
#endif
public final class TCGBTransferKeyInfo: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// The eight letters that the player enters on the new device.
    public var transferKey: String { value.transferKey ?? "" }
    /// Milliseconds since 1970, UTC.
    public var regDate: Int { Int(clamping: value.regDate ?? 0) }
    /// Milliseconds since 1970, UTC.
    public var expireDate: Int { Int(clamping: value.expireDate ?? 0) }
    /// The same as ``regDate``.
    @available(*, deprecated, renamed: "regDate", message: "It was misspelled.")
    public var legDate: Int { regDate }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    /// Reads the value from a dictionary of the documented form.
    public static func transferKeyInfo(dictionary: [String: Any]) -> TCGBTransferKeyInfo {
        TCGBTransferKeyInfo(JSONObject(dictionary: dictionary))
    }

    /// Reads the value from JSON of the documented form.
    #if canImport(ObjectiveC)
    @objc(transferKeyInfoWithJSONString:)
    #endif
    public static func transferKeyInfo(jsonString: String) -> TCGBTransferKeyInfo {
        TCGBTransferKeyInfo(JSONObject(text: jsonString))
    }
}

import Foundation
import Gatehouse
import GatehouseWire

/// A key of eight letters that moves a guest to another device (SDK 1.x).
#if canImport(ObjectiveC)
@objc(TCGBTransferKeyInfo) @objcMembers
#endif
public final class TCGBTransferKeyInfo: TCGBValueObject, @unchecked Sendable {
    public var transferKey: String { json["transferKey"]?.stringValue ?? "" }
    /// Milliseconds since 1970, UTC.
    public var regDate: Int { json.int("regDate") }
    /// Milliseconds since 1970, UTC.
    public var expireDate: Int { json.int("expireDate") }
    @available(*, deprecated, renamed: "regDate", message: "It was misspelled.")
    public var legDate: Int { regDate }

    override init(json: [String: JSONValue]) { super.init(json: json) }

    init(_ key: TransferKey) {
        super.init(json: [
            "transferKey": .string(key.transferKey.secretValue), "regDate": .integer(key.registrationDate),
            "expireDate": .integer(key.expiryDate),
        ])
    }

    public static func transferKeyInfo(dictionary: [String: Any]) -> TCGBTransferKeyInfo {
        TCGBTransferKeyInfo(json: members(of: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(transferKeyInfoWithJSONString:)
    #endif
    public static func transferKeyInfo(jsonString: String) -> TCGBTransferKeyInfo {
        TCGBTransferKeyInfo(json: parse(jsonString))
    }
}

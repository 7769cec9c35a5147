// swift-format-ignore-file: AlwaysUseLowerCamelCase
import Foundation
import Gatehouse
import GatehouseWire

/// An id and a password that move a guest to another device.
#if canImport(ObjectiveC)
@objc(TCGBTransferAccountInfo) @objcMembers
#endif
public final class TCGBTransferAccountInfo: TCGBValueObject, @unchecked Sendable {  // All three are constants.
    let value: TransferAccount

    /// `AUTO` or `MANUAL`.
    public var issuedType: String { value.issuedType.rawValue }
    /// The id and the password.
    public let account: TCGBTransferAccountInfoAccount
    /// How often and until when it can be used.
    public let condition: TCGBTransferAccountInfoCondition

    init(_ value: TransferAccount) {
        self.value = value
        account = TCGBTransferAccountInfoAccount(value)
        condition = TCGBTransferAccountInfoCondition(value)
        super.init(json: [
            "issuedType": .string(value.issuedType.rawValue), "account": .object(account.json),
            "condition": .object(condition.json),
        ])
    }
}

/// The id and the password of a transfer account.
#if canImport(ObjectiveC)
@objc(TCGBTransferAccountInfoAccount) @objcMembers
#endif
public final class TCGBTransferAccountInfoAccount: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: TransferAccount

    /// The id that the player enters on the new device.
    public var accountId: String { value.id }
    /// Present only at issue and renewal.
    public var accountPassword: String? { value.password?.secretValue }

    init(_ value: TransferAccount) {
        self.value = value
        super.init(json: value.accountJSON)
    }
}

/// How often and until when a transfer account can be used.
#if canImport(ObjectiveC)
@objc(TCGBTransferAccountInfoCondition) @objcMembers
#endif
public final class TCGBTransferAccountInfoCondition: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: TransferAccount

    /// `ONCE` or `UNLIMITED`.
    public var transferAccountType: String { value.transferAccountType.rawValue }
    /// `FIXED` or `NONE`.
    public var expirationType: String { value.expiryDate == nil ? "NONE" : "FIXED" }
    /// Milliseconds since 1970, UTC; 0 if it doesn't expire.
    public var expirationDate: Int64 { value.expiryDate ?? 0 }

    init(_ value: TransferAccount) {
        self.value = value
        super.init(json: value.conditionJSON)
    }
}

/// A transfer that is blocked after too many wrong ids or passwords. It comes with error 3042.
#if canImport(ObjectiveC)
@objc(TCGBTransferAccountFailInfo) @objcMembers
#endif
public final class TCGBTransferAccountFailInfo: TCGBValueObject, @unchecked Sendable {  // Both are constants.
    let value: TransferBlock
    /// The app's id.
    public let appId: String

    /// The id as the player has entered it.
    public var accountId: String { value.accountId }
    /// Always `B`: blocked.
    public var status: String { "B" }
    /// The number of wrong attempts in a row.
    public var failCount: Int { value.failCount }
    /// Milliseconds since 1970, UTC.
    public var blockEndDate: Int64 { value.blockEndDate }
    /// Milliseconds since 1970, UTC.
    public var regDate: Int64 { value.registrationDate }

    init?(_ error: TCGBError) {
        guard let value = error.cause?.transferBlock else { return nil }
        self.value = value
        appId = error.appID ?? ""
        super.init(json: value.gamebaseJSON(appID: appId))
    }

    /// The block in an error; nil for any other error.
    public static func transferAccountFailInfo(from error: TCGBError) -> TCGBTransferAccountFailInfo? {
        TCGBTransferAccountFailInfo(error)
    }

    /// The same as ``transferAccountFailInfo(from:)``.
    public static func transferAccountFailInfo(fromError error: TCGBError) -> TCGBTransferAccountFailInfo? {
        TCGBTransferAccountFailInfo(error)
    }

    /// The same as ``transferAccountFailInfo(from:)``.
    #if canImport(ObjectiveC)
    @objc(resultWithTCGBError:)
    #endif
    @available(*, deprecated, renamed: "transferAccountFailInfo(fromError:)")
    public static func result(with error: TCGBError) -> TCGBTransferAccountFailInfo? {
        TCGBTransferAccountFailInfo(error)
    }
}

/// Who chooses the new values.
#if canImport(ObjectiveC)
@objc
#endif
public enum TCGBTransferAccountRenewalModeType: Int, Sendable {
    /// The server generates them.
    case auto = 0
    /// The player chooses them.
    case manual = 1
}

/// What is renewed.
#if canImport(ObjectiveC)
@objc
#endif
public enum TCGBTransferAccountRenewalTargetType: Int, Sendable {
    /// The password; the id stays.
    case password = 0
    /// Both.
    case idPassword = 1
}

// The names in Objective-C, which existing games use.
/// ``TCGBTransferAccountRenewalModeType/auto``, by its name in Objective-C.
public let TCGBTransferAccountRenewalModeTypeAuto = TCGBTransferAccountRenewalModeType.auto
/// ``TCGBTransferAccountRenewalModeType/manual``, by its name in Objective-C.
public let TCGBTransferAccountRenewalModeTypeManual = TCGBTransferAccountRenewalModeType.manual
/// ``TCGBTransferAccountRenewalTargetType/password``, by its name in Objective-C.
public let TCGBTransferAccountRenewalTargetTypePassword = TCGBTransferAccountRenewalTargetType.password
/// ``TCGBTransferAccountRenewalTargetType/idPassword``, by its name in Objective-C.
public let TCGBTransferAccountRenewalTargetTypeIdPassword = TCGBTransferAccountRenewalTargetType.idPassword

/// How a transfer account is renewed.
#if canImport(ObjectiveC)
@objc(TCGBTransferAccountRenewConfiguration) @objcMembers
#endif
public final class TCGBTransferAccountRenewConfiguration: TCGBValueObject, @unchecked Sendable {  // It is constant.
    let renewal: TransferRenewal

    /// Who chooses the new values.
    public var renewalMode: TCGBTransferAccountRenewalModeType { renewal.password == nil ? .auto : .manual }
    /// Which part is renewed.
    public var renewalTarget: TCGBTransferAccountRenewalTargetType {
        renewal.target == .password ? .password : .idPassword
    }
    /// The id that the player has chosen.
    public var accountId: String? { renewal.id }
    /// The password that the player has chosen.
    public var accountPassword: String? { renewal.password?.secretValue }

    private init(_ renewal: TransferRenewal) {
        self.renewal = renewal
        super.init(json: renewal.gamebaseJSON)
    }

    /// The server generates the new values.
    public static func autoRenewConfiguration(
        renewalTarget: TCGBTransferAccountRenewalTargetType
    ) -> TCGBTransferAccountRenewConfiguration {
        TCGBTransferAccountRenewConfiguration(.automatic(renewalTarget == .idPassword ? .idAndPassword : .password))
    }

    /// The same as ``autoRenewConfiguration(renewalTarget:)``.
    @nonobjc public static func autoRenewConfiguration(
        withRenewalTarget renewalTarget: TCGBTransferAccountRenewalTargetType
    ) -> TCGBTransferAccountRenewConfiguration { autoRenewConfiguration(renewalTarget: renewalTarget) }

    /// The player chooses a new password.
    public static func manualRenewConfiguration(
        accountPassword: String
    ) -> TCGBTransferAccountRenewConfiguration {
        TCGBTransferAccountRenewConfiguration(.manual(password: TransferPassword(accountPassword)))
    }

    /// The same as ``manualRenewConfiguration(accountPassword:)``.
    @nonobjc public static func manualRenewConfiguration(
        withAccountPassword accountPassword: String
    ) -> TCGBTransferAccountRenewConfiguration { manualRenewConfiguration(accountPassword: accountPassword) }

    /// The player chooses both.
    public static func manualRenewConfiguration(
        accountId: String, accountPassword: String
    ) -> TCGBTransferAccountRenewConfiguration {
        TCGBTransferAccountRenewConfiguration(.manual(id: accountId, password: TransferPassword(accountPassword)))
    }

    /// The same as ``manualRenewConfiguration(accountId:accountPassword:)``.
    @nonobjc public static func manualRenewConfiguration(
        withAccountId accountId: String, accountPassword: String
    ) -> TCGBTransferAccountRenewConfiguration {
        manualRenewConfiguration(accountId: accountId, accountPassword: accountPassword)
    }
}

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

extension TransferAccount {
    var accountJSON: [String: JSONValue] {
        var json: [String: JSONValue] = ["id": .string(id)]
        json["password"] = password.map { .string($0.secretValue) }
        return json
    }

    var conditionJSON: [String: JSONValue] {
        var json: [String: JSONValue] = [
            "transferAccountType": .string(transferAccountType.rawValue),
            "expirationType": expiryDate == nil ? "NONE" : "FIXED",
        ]
        json["expirationDate"] = expiryDate.map { .integer($0) }
        return json
    }
}

extension TransferBlock {
    func gamebaseJSON(appID: String) -> [String: JSONValue] {
        [
            "appId": .string(appID), "id": .string(accountId), "status": "B", "failCount": .integer(Int64(failCount)),
            "blockEndDate": .integer(blockEndDate), "regDate": .integer(registrationDate),
        ]
    }
}

extension TCGBTransferKeyInfo {
    struct Value: JSONMembers {
        var transferKey: String?
        var regDate: Int64?
        var expireDate: Int64?
    }
}

extension TCGBTransferKeyInfo.Value {
    init(_ key: TransferKey) {
        transferKey = key.transferKey.secretValue
        regDate = key.registrationDate
        expireDate = key.expiryDate
    }
}

extension TransferRenewal {
    var gamebaseJSON: [String: JSONValue] {
        var json: [String: JSONValue] = [
            "renewalModeType": password == nil ? "AUTO" : "MANUAL",
            "renewalTargetType": target == .password ? 0 : 1,
        ]
        json["accountId"] = id.map { .string($0) }
        json["accountPassword"] = password.map { .string($0.secretValue) }
        return json
    }
}

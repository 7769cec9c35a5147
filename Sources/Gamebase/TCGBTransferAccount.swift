// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Foundation
import Gatehouse
import GatehouseWire

/// An id and a password that move a guest to another device.
#if canImport(ObjectiveC)
@objc(TCGBTransferAccountInfo) @objcMembers
#endif
public final class TCGBTransferAccountInfo: TCGBValueObject, @unchecked Sendable {
    /// `AUTO` or `MANUAL`.
    public var issuedType: String { json["issuedType"]?.stringValue ?? "" }
    public let account: TCGBTransferAccountInfoAccount
    public let condition: TCGBTransferAccountInfoCondition

    init(_ transfer: TransferAccount) {
        var account: [String: JSONValue] = ["id": .string(transfer.id)]
        account["password"] = transfer.password.map { .string($0.secretValue) }
        var condition: [String: JSONValue] = [
            "transferAccountType": .string(transfer.transferAccountType.rawValue),
            "expirationType": transfer.expiryDate == nil ? "NONE" : "FIXED",
        ]
        condition["expirationDate"] = transfer.expiryDate.map { .integer($0) }
        self.account = TCGBTransferAccountInfoAccount(json: account)
        self.condition = TCGBTransferAccountInfoCondition(json: condition)
        super.init(json: [
            "issuedType": .string(transfer.issuedType.rawValue), "account": .object(account),
            "condition": .object(condition),
        ])
    }
}

#if canImport(ObjectiveC)
@objc(TCGBTransferAccountInfoAccount) @objcMembers
#endif
public final class TCGBTransferAccountInfoAccount: TCGBValueObject, @unchecked Sendable {
    public var accountId: String { json["id"]?.stringValue ?? "" }
    /// Present only at issue and renewal.
    public var accountPassword: String? { json["password"]?.stringValue }
}

#if canImport(ObjectiveC)
@objc(TCGBTransferAccountInfoCondition) @objcMembers
#endif
public final class TCGBTransferAccountInfoCondition: TCGBValueObject, @unchecked Sendable {
    /// `ONCE` or `UNLIMITED`.
    public var transferAccountType: String { json["transferAccountType"]?.stringValue ?? "" }
    /// `FIXED` or `NONE`.
    public var expirationType: String { json["expirationType"]?.stringValue ?? "" }
    /// Milliseconds since 1970, UTC; 0 if it doesn't expire.
    public var expirationDate: Int64 { json.int64("expirationDate") }
}

/// A transfer that is blocked after too many wrong ids or passwords. It comes with error 3042.
#if canImport(ObjectiveC)
@objc(TCGBTransferAccountFailInfo) @objcMembers
#endif
public final class TCGBTransferAccountFailInfo: TCGBValueObject, @unchecked Sendable {
    public var appId: String { json["appId"]?.stringValue ?? "" }
    public var accountId: String { json["id"]?.stringValue ?? "" }
    /// Always `B`: blocked.
    public var status: String { json["status"]?.stringValue ?? "" }
    public var failCount: Int { json.int("failCount") }
    /// Milliseconds since 1970, UTC.
    public var blockEndDate: Int64 { json.int64("blockEndDate") }
    /// Milliseconds since 1970, UTC.
    public var regDate: Int64 { json.int64("regDate") }

    convenience init?(_ error: TCGBError) {
        guard let block = error.cause?.transferBlock else { return nil }
        self.init(json: [
            "appId": .string(GamebaseClient.shared.appID ?? ""), "id": .string(block.accountId), "status": "B",
            "failCount": .integer(Int64(block.failCount)), "blockEndDate": .integer(block.blockEndDate),
            "regDate": .integer(block.registrationDate),
        ])
    }

    /// The block in an error; nil for any other error.
    public static func transferAccountFailInfo(from error: TCGBError) -> TCGBTransferAccountFailInfo? {
        TCGBTransferAccountFailInfo(error)
    }

    public static func transferAccountFailInfo(fromError error: TCGBError) -> TCGBTransferAccountFailInfo? {
        TCGBTransferAccountFailInfo(error)
    }

    #if canImport(ObjectiveC)
    @objc(resultWithTCGBError:)
    #endif
    @available(*, deprecated, renamed: "transferAccountFailInfo(fromError:)")
    public static func result(with error: TCGBError) -> TCGBTransferAccountFailInfo? {
        TCGBTransferAccountFailInfo(error)
    }
}

#if canImport(ObjectiveC)
@objc
#endif
public enum TCGBTransferAccountRenewalModeType: Int, Sendable {
    case auto = 0
    case manual = 1
}

/// What is renewed.
#if canImport(ObjectiveC)
@objc
#endif
public enum TCGBTransferAccountRenewalTargetType: Int, Sendable {
    case password = 0
    case idPassword = 1
}

// The names in Objective-C, which existing games use.
public let TCGBTransferAccountRenewalModeTypeAuto = TCGBTransferAccountRenewalModeType.auto
public let TCGBTransferAccountRenewalModeTypeManual = TCGBTransferAccountRenewalModeType.manual
public let TCGBTransferAccountRenewalTargetTypePassword = TCGBTransferAccountRenewalTargetType.password
public let TCGBTransferAccountRenewalTargetTypeIdPassword = TCGBTransferAccountRenewalTargetType.idPassword

/// How a transfer account is renewed.
#if canImport(ObjectiveC)
@objc(TCGBTransferAccountRenewConfiguration) @objcMembers
#endif
public final class TCGBTransferAccountRenewConfiguration: TCGBValueObject, @unchecked Sendable {
    public let renewalMode: TCGBTransferAccountRenewalModeType
    public let renewalTarget: TCGBTransferAccountRenewalTargetType
    public let accountId: String?
    public let accountPassword: String?

    private init(
        _ mode: TCGBTransferAccountRenewalModeType, _ target: TCGBTransferAccountRenewalTargetType, id: String?,
        password: String?
    ) {
        renewalMode = mode
        renewalTarget = target
        accountId = id
        accountPassword = password
        var json: [String: JSONValue] = [
            "renewalModeType": mode == .manual ? "MANUAL" : "AUTO",
            "renewalTargetType": .integer(Int64(target.rawValue)),
        ]
        json["accountId"] = id.map { .string($0) }
        json["accountPassword"] = password.map { .string($0) }
        super.init(json: json)
    }

    /// The server generates the new values.
    public static func autoRenewConfiguration(
        renewalTarget: TCGBTransferAccountRenewalTargetType
    ) -> TCGBTransferAccountRenewConfiguration {
        TCGBTransferAccountRenewConfiguration(.auto, renewalTarget, id: nil, password: nil)
    }

    @nonobjc public static func autoRenewConfiguration(
        withRenewalTarget renewalTarget: TCGBTransferAccountRenewalTargetType
    ) -> TCGBTransferAccountRenewConfiguration { autoRenewConfiguration(renewalTarget: renewalTarget) }

    /// The player chooses a new password.
    public static func manualRenewConfiguration(
        accountPassword: String
    ) -> TCGBTransferAccountRenewConfiguration {
        TCGBTransferAccountRenewConfiguration(.manual, .password, id: nil, password: accountPassword)
    }

    @nonobjc public static func manualRenewConfiguration(
        withAccountPassword accountPassword: String
    ) -> TCGBTransferAccountRenewConfiguration { manualRenewConfiguration(accountPassword: accountPassword) }

    /// The player chooses both.
    public static func manualRenewConfiguration(
        accountId: String, accountPassword: String
    ) -> TCGBTransferAccountRenewConfiguration {
        TCGBTransferAccountRenewConfiguration(.manual, .idPassword, id: accountId, password: accountPassword)
    }

    @nonobjc public static func manualRenewConfiguration(
        withAccountId accountId: String, accountPassword: String
    ) -> TCGBTransferAccountRenewConfiguration {
        manualRenewConfiguration(accountId: accountId, accountPassword: accountPassword)
    }

    var renewal: TransferRenewal {
        let target: TransferRenewal.Target = renewalTarget == .idPassword ? .idAndPassword : .password
        guard renewalMode == .manual else { return .automatic(target) }
        let password = TransferPassword(accountPassword ?? "")
        guard let accountId else { return .manual(password: password) }
        return .manual(id: accountId, password: password)
    }
}

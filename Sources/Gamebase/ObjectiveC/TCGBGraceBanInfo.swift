import Foundation
import GatehouseWire

/// A withdrawal that is pending.
#if canImport(ObjectiveC)
@objc(TCGBTemporaryWithdrawalInfo) @objcMembers
#endif
public final class TCGBTemporaryWithdrawalInfo: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    /// When the member is withdrawn unless the withdrawal is cancelled, in milliseconds since 1970, UTC.
    public var gracePeriodDate: Int { Int(clamping: value.gracePeriodDate ?? 0) }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    public static func temporaryWithdrawalInfo(dictionary: [String: Any]) -> TCGBTemporaryWithdrawalInfo {
        TCGBTemporaryWithdrawalInfo(JSONObject(dictionary: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(temporaryWithdrawalInfoWithJSONString:)
    #endif
    public static func temporaryWithdrawalInfo(jsonString: String) -> TCGBTemporaryWithdrawalInfo {
        TCGBTemporaryWithdrawalInfo(JSONObject(text: jsonString))
    }
}

/// A grace ban: the member can play until a deadline, and is then banned unless it has paid.
#if canImport(ObjectiveC)
@objc(TCGBGraceBanInfo) @objcMembers
#endif
public final class TCGBGraceBanInfo: TCGBValueObject, @unchecked Sendable {  // All are constants.
    let value: JSONObject<Value>

    /// Milliseconds since 1970, UTC.
    public var gracePeriodDate: Int64 { value.gracePeriodDate ?? 0 }
    /// Percent-encoded.
    public var message: String { value.message ?? "" }
    public let paymentStatus: TCGBPaymentStatus?
    public let releaseRuleCondition: TCGBReleaseRuleCondition?

    init(_ value: JSONObject<Value>) {
        self.value = value
        paymentStatus = value.paymentStatus.map(TCGBPaymentStatus.init)
        releaseRuleCondition = value.releaseRuleCondition.map(TCGBReleaseRuleCondition.init)
        super.init(json: value.json)
    }

    public static func graceBanInfo(dictionary: [String: Any]) -> TCGBGraceBanInfo {
        TCGBGraceBanInfo(JSONObject(dictionary: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(graceBanInfoWithJSONString:)
    #endif
    public static func graceBanInfo(jsonString: String) -> TCGBGraceBanInfo {
        TCGBGraceBanInfo(JSONObject(text: jsonString))
    }
}

/// The payments since a grace ban began.
#if canImport(ObjectiveC)
@objc(TCGBPaymentStatus) @objcMembers
#endif
public final class TCGBPaymentStatus: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    public var amount: Double { value.amount ?? 0 }
    public var count: Int32 { Int32(clamping: value.count ?? 0) }
    public var currency: String { value.currency ?? "" }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    public static func paymentStatus(dictionary: [String: Any]) -> TCGBPaymentStatus {
        TCGBPaymentStatus(JSONObject(dictionary: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(paymentStatusWithJSONString:)
    #endif
    public static func paymentStatus(jsonString: String) -> TCGBPaymentStatus {
        TCGBPaymentStatus(JSONObject(text: jsonString))
    }
}

/// The payments that release a grace ban.
#if canImport(ObjectiveC)
@objc(TCGBReleaseRuleCondition) @objcMembers
#endif
public final class TCGBReleaseRuleCondition: TCGBValueObject, @unchecked Sendable {  // Its value is a constant.
    let value: JSONObject<Value>

    public var amount: Double { value.amount ?? 0 }
    public var count: Int32 { Int32(clamping: value.count ?? 0) }
    public var currency: String { value.currency ?? "" }
    /// `AND` or `OR`.
    public var conditionType: String { value.conditionType ?? "" }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    public static func releaseRuleCondition(dictionary: [String: Any]) -> TCGBReleaseRuleCondition {
        TCGBReleaseRuleCondition(JSONObject(dictionary: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(releaseRuleConditionWithJSONString:)
    #endif
    public static func releaseRuleCondition(jsonString: String) -> TCGBReleaseRuleCondition {
        TCGBReleaseRuleCondition(JSONObject(text: jsonString))
    }
}

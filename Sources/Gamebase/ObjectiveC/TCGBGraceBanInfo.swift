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

    /// Reads the value from a dictionary of the documented form.
    public static func temporaryWithdrawalInfo(dictionary: [String: Any]) -> TCGBTemporaryWithdrawalInfo {
        TCGBTemporaryWithdrawalInfo(JSONObject(dictionary: dictionary))
    }

    /// Reads the value from JSON of the documented form.
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
    /// The payments since the grace ban began.
    public let paymentStatus: TCGBPaymentStatus?
    /// The payments that release the ban.
    public let releaseRuleCondition: TCGBReleaseRuleCondition?

    init(_ value: JSONObject<Value>) {
        self.value = value
        paymentStatus = value.paymentStatus.map(TCGBPaymentStatus.init)
        releaseRuleCondition = value.releaseRuleCondition.map(TCGBReleaseRuleCondition.init)
        super.init(json: value.json)
    }

    /// Reads the value from a dictionary of the documented form.
    public static func graceBanInfo(dictionary: [String: Any]) -> TCGBGraceBanInfo {
        TCGBGraceBanInfo(JSONObject(dictionary: dictionary))
    }

    /// Reads the value from JSON of the documented form.
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

    /// The sum of the payments, in units of ``currency``.
    public var amount: Double { value.amount ?? 0 }
    /// The number of payments.
    public var count: Int32 { Int32(clamping: value.count ?? 0) }
    /// ISO 4217, such as `KRW`.
    public var currency: String { value.currency ?? "" }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    /// Reads the value from a dictionary of the documented form.
    public static func paymentStatus(dictionary: [String: Any]) -> TCGBPaymentStatus {
        TCGBPaymentStatus(JSONObject(dictionary: dictionary))
    }

    /// Reads the value from JSON of the documented form.
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

    /// The sum of payments that is required, in units of ``currency``. 0 asks for no sum.
    public var amount: Double { value.amount ?? 0 }
    /// The number of payments that is required. 0 asks for no number.
    public var count: Int32 { Int32(clamping: value.count ?? 0) }
    /// ISO 4217. Payments in another currency do not count.
    public var currency: String { value.currency ?? "" }
    /// `AND` or `OR`.
    public var conditionType: String { value.conditionType ?? "" }

    init(_ value: JSONObject<Value>) {
        self.value = value
        super.init(json: value.json)
    }

    /// Reads the value from a dictionary of the documented form.
    public static func releaseRuleCondition(dictionary: [String: Any]) -> TCGBReleaseRuleCondition {
        TCGBReleaseRuleCondition(JSONObject(dictionary: dictionary))
    }

    /// Reads the value from JSON of the documented form.
    #if canImport(ObjectiveC)
    @objc(releaseRuleConditionWithJSONString:)
    #endif
    public static func releaseRuleCondition(jsonString: String) -> TCGBReleaseRuleCondition {
        TCGBReleaseRuleCondition(JSONObject(text: jsonString))
    }
}

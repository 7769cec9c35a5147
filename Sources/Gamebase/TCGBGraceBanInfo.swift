import Foundation
import GatehouseWire

/// A withdrawal that is pending.
#if canImport(ObjectiveC)
@objc(TCGBTemporaryWithdrawalInfo) @objcMembers
#endif
public final class TCGBTemporaryWithdrawalInfo: TCGBValueObject, @unchecked Sendable {
    /// When the member is withdrawn unless the withdrawal is cancelled, in milliseconds since 1970, UTC.
    public var gracePeriodDate: Int { json.int("gracePeriodDate") }

    public static func temporaryWithdrawalInfo(dictionary: [String: Any]) -> TCGBTemporaryWithdrawalInfo {
        TCGBTemporaryWithdrawalInfo(json: members(of: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(temporaryWithdrawalInfoWithJSONString:)
    #endif
    public static func temporaryWithdrawalInfo(jsonString: String) -> TCGBTemporaryWithdrawalInfo {
        TCGBTemporaryWithdrawalInfo(json: parse(jsonString))
    }
}

/// A grace ban: the member can play until a deadline, and is then banned unless it has paid.
#if canImport(ObjectiveC)
@objc(TCGBGraceBanInfo) @objcMembers
#endif
public final class TCGBGraceBanInfo: TCGBValueObject, @unchecked Sendable {
    /// Milliseconds since 1970, UTC.
    public var gracePeriodDate: Int64 { json.int64("gracePeriodDate") }
    /// Percent-encoded.
    public var message: String { json["message"]?.stringValue ?? "" }
    public let paymentStatus: TCGBPaymentStatus?
    public let releaseRuleCondition: TCGBReleaseRuleCondition?

    override init(json: [String: JSONValue]) {
        paymentStatus = json["paymentStatus"]?.objectValue.map { TCGBPaymentStatus(json: $0) }
        releaseRuleCondition = json["releaseRuleCondition"]?.objectValue.map { TCGBReleaseRuleCondition(json: $0) }
        super.init(json: json)
    }

    public static func graceBanInfo(dictionary: [String: Any]) -> TCGBGraceBanInfo {
        TCGBGraceBanInfo(json: members(of: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(graceBanInfoWithJSONString:)
    #endif
    public static func graceBanInfo(jsonString: String) -> TCGBGraceBanInfo {
        TCGBGraceBanInfo(json: parse(jsonString))
    }

    static func json(_ graceBan: GraceBan) -> JSONValue {
        // The contract's JSON is Gamebase's, with a percent-encoded message.
        guard let data = try? JSONEncoder().encode(graceBan) else { return .null }
        return (try? JSONDecoder().decode(JSONValue.self, from: data)) ?? .null
    }
}

/// The payments since a grace ban began.
#if canImport(ObjectiveC)
@objc(TCGBPaymentStatus) @objcMembers
#endif
public final class TCGBPaymentStatus: TCGBValueObject, @unchecked Sendable {
    public var amount: Double { json.double("amount") }
    public var count: Int32 { Int32(clamping: json.int("count")) }
    public var currency: String { json["currency"]?.stringValue ?? "" }

    public static func paymentStatus(dictionary: [String: Any]) -> TCGBPaymentStatus {
        TCGBPaymentStatus(json: members(of: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(paymentStatusWithJSONString:)
    #endif
    public static func paymentStatus(jsonString: String) -> TCGBPaymentStatus {
        TCGBPaymentStatus(json: parse(jsonString))
    }
}

/// The payments that release a grace ban.
#if canImport(ObjectiveC)
@objc(TCGBReleaseRuleCondition) @objcMembers
#endif
public final class TCGBReleaseRuleCondition: TCGBValueObject, @unchecked Sendable {
    public var amount: Double { json.double("amount") }
    public var count: Int32 { Int32(clamping: json.int("count")) }
    public var currency: String { json["currency"]?.stringValue ?? "" }
    /// `AND` or `OR`.
    public var conditionType: String { json["conditionType"]?.stringValue ?? "" }

    public static func releaseRuleCondition(dictionary: [String: Any]) -> TCGBReleaseRuleCondition {
        TCGBReleaseRuleCondition(json: members(of: dictionary))
    }

    #if canImport(ObjectiveC)
    @objc(releaseRuleConditionWithJSONString:)
    #endif
    public static func releaseRuleCondition(jsonString: String) -> TCGBReleaseRuleCondition {
        TCGBReleaseRuleCondition(json: parse(jsonString))
    }
}

import GatehouseSecurity
import GatehouseWire

/// A grace ban with what was paid of it. Amounts are whole numbers of ten-thousandths, so that sums are exact.
struct GraceBanProgress: Sendable {
    private static let amountScale = 10_000.0
    private static let largestAmount = 1_000_000_000_000.0

    let message: String
    let endsAt: Moment
    let requiredAmount: Int64
    let requiredCount: Int
    let currency: String
    let conditionType: ConditionType
    var paidAmount: Int64
    var paidCount: Int

    /// Only the parts that are required count.
    var isMet: Bool {
        let parts = [
            requiredAmount > 0 ? paidAmount >= requiredAmount : nil,
            requiredCount > 0 ? paidCount >= requiredCount : nil,
        ].compactMap { $0 }
        return conditionType == .or ? parts.contains(true) : !parts.contains(false)
    }

    var graceBan: GraceBan {
        GraceBan(
            gracePeriodDate: endsAt.milliseconds, message: message,
            paymentStatus: PaymentStatus(
                amount: Double(paidAmount) / Self.amountScale, count: paidCount, currency: currency),
            releaseRuleCondition: ReleaseRuleCondition(
                amount: Double(requiredAmount) / Self.amountScale, count: requiredCount,
                currency: currency,
                conditionType: conditionType))
    }

    /// An amount of the contract as it is stored.
    static func units(_ amount: Double) throws -> Int64 {
        guard amount.isFinite, (0...largestAmount).contains(amount) else {
            throw Refusal.parameter("amount", "An amount is a number from 0 to \(Int64(largestAmount)).")
        }
        return Int64((amount * amountScale).rounded())
    }
}

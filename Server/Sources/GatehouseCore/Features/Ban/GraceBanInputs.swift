import GatehousePlatform
import GatehouseWire

extension InputValues {
    /// An amount of money; nil for what is none.
    func amount(_ name: String) -> Double? {
        guard let number = Double((text(name) ?? "0").substituting(",", by: "")), (0...1e12).contains(number) else {
            return nil
        }
        return number
    }

    /// A currency, perhaps in small letters.
    ///
    /// - Throws: ``InputProblems``
    func currency(_ name: String) throws -> String {
        let currency = (text(name) ?? "").uppercased()
        guard GraceBanRules.isCurrency(currency) else { throw InputProblems([name: "problem.currency"]) }
        return currency
    }
}

extension InputField {
    static func currency(_ name: String, _ value: String) -> InputField {
        InputField(name: name, label: "grace.currency", kind: .text, value: value, isRequired: true, limit: 3)
    }
}

extension Phrase.Value {
    /// What releases a member from its grace ban, in words.
    static func condition(_ condition: ReleaseRuleCondition) -> Phrase.Value {
        let amount = Phrase.Value.amount(condition.amount, currency: condition.currency)
        if condition.amount <= 0 { return .phrase(Phrase("grace.needs-count", ["count": .count(condition.count)])) }
        if condition.count <= 0 { return amount }
        return .phrase(
            Phrase(
                condition.conditionType == .or ? "grace.needs-either" : "grace.needs-both",
                ["count": .count(condition.count), "amount": amount]))
    }
}

import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// An action whose form asks for a rule by client, and for its place among the others.
protocol ClientRuleForm: OperatorAction {
    var rule: ClientRule { get set }
    var position: Int? { get set }
    /// How many places there are.
    static func places(_ view: OperatorView) -> Int
}

extension Input where A: ClientRuleForm {
    /// The rule with its place. Its id comes first, because the address says which rule it is.
    static var clientRule: [Input] {
        [
            .clientRuleID(\.rule.id), .condition("os", \.rule.osCode, limit: 32) { $0.uppercased() },
            .condition("store", \.rule.storeCode, limit: 32) { $0.uppercased() },
            .condition("from", \.rule.from, limit: 64), .condition("below", \.rule.below, limit: 64), .status,
            .condition("url", \.rule.updateURL, limit: 1_024), .texts("message", \.rule.texts), .place, .whole,
        ]
    }

    /// A text that may be missing. Whether it is good is for the rule to say.
    private static func condition(
        _ name: String, _ path: any WritableKeyPath<A, String?> & Sendable, limit: Int,
        read: @escaping @Sendable (String) -> String = { $0 }
    ) -> Self {
        Input { action, _, _ in
            [
                InputField(
                    name: name, label: Phrase("client-rules.\(name)"), kind: .text,
                    value: action[keyPath: path] ?? "", help: Phrase("client-rules.\(name)-help"), limit: limit)
            ]
        } read: { action, values, _ in
            action[keyPath: path] = values.text(name).map(read)
        }
    }

    private static var status: Self {
        Input { action, _, _ in
            let options = ClientRule.statuses.map {
                InputField.Option(value: String($0.rawValue), label: .status($0))
            }
            return [
                InputField(
                    name: "status", label: "launching.status", kind: .choice(options),
                    value: String(action.rule.status.rawValue))
            ]
        } read: { action, values, _ in
            let chosen = ClientRule.statuses.first { String($0.rawValue) == values.text("status") }
            guard let chosen else { throw InputProblems(["status": "problem.choice"]) }
            action.rule.status = chosen
        }
    }

    private static var place: Self {
        Input { action, view, _ in
            [
                InputField(
                    name: "position", label: "client-rules.position", kind: .number,
                    value: String(action.position ?? A.places(view)), help: "client-rules.position-help",
                    isRequired: true, limit: 3)
            ]
        } read: { action, values, view in
            action.position = try values.number("position", 1...max(1, A.places(view)))
        }
    }

    /// What the rule as a whole says about its fields, when all of them are read.
    private static var whole: Self {
        Input { _, _, _ in
            []
        } read: { action, _, _ in
            let problems = action.rule.problems.map(\.place).map { place in
                (place.field, Phrase("problem.client-rule.\(place.key)"))
            }
            guard problems.isEmpty else { throw InputProblems(Dictionary(problems) { $1 }) }
        }
    }
}

extension Input {
    /// Which rule it is.
    static func clientRuleID(_ path: any WritableKeyPath<A, String> & Sendable) -> Self {
        Input { action, values, _ in action[keyPath: path] = values.text("rule") ?? "" }
    }
}

extension ClientRule {
    fileprivate var texts: [String: String] {
        get { message.texts }
        set { message = LocalizedText(newValue) }
    }
}

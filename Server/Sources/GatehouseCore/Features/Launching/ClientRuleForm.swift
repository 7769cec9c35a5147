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
            .clientRuleID(\.rule.id),
            .code("os", \.rule.osCode, ClientRule.systems, ClientRule.system).arranged(.half),
            .code("store", \.rule.storeCode, ClientRule.stores, ClientRule.store).arranged(.half),
            .condition("from", \.rule.from, limit: 64).arranged(.half),
            .condition("below", \.rule.below, limit: 64).arranged(.half), .status.arranged(.half),
            .place.arranged(.half), .other("os", \.rule.osCode).arranged(.folded("client-rules.others")),
            .other("store", \.rule.storeCode).arranged(.folded("client-rules.others")),
            .condition("url", \.rule.updateURL, limit: 1_024),
            .texts("message", \.rule.texts).arranged(.folded("client-rules.texts")), .whole,
        ]
    }

    /// A system or a store: one with a name, or one that another rule is for.
    private static func code(
        _ name: String, _ path: any WritableKeyPath<A, String?> & Sendable, _ known: [String],
        _ label: @escaping @Sendable (String) -> Phrase
    ) -> Self {
        Input { action, view, _ in
            let chosen = action[keyPath: path]
            let others = view.view.app.clientRules.compactMap { name == "os" ? $0.osCode : $0.storeCode }
            let codes = known + Set(others + [chosen].compactMap(\.self)).subtracting(known).sorted()
            return [
                InputField(
                    name: name, label: Phrase("client-rules.\(name)"),
                    kind: .choice(
                        [InputField.Option(value: "", label: Phrase("client-rules.every-\(name)"))]
                            + codes.map { InputField.Option(value: $0, label: label($0)) }),
                    value: chosen ?? "")
            ]
        } read: { action, values, _ in
            action[keyPath: path] = values.text(name)?.uppercased()
        }
    }

    /// The code of another system or store, which is used instead of the choice.
    private static func other(_ name: String, _ path: any WritableKeyPath<A, String?> & Sendable) -> Self {
        Input { _, _, _ in
            [
                InputField(
                    name: "\(name)-other", label: Phrase("client-rules.\(name)-other"), kind: .text,
                    help: "client-rules.other-help", limit: 32)
            ]
        } read: { action, values, _ in
            if let other = values.text("\(name)-other") { action[keyPath: path] = other.uppercased() }
        }
    }

    /// A text that may be missing. Whether it is good is for the rule to say.
    private static func condition(
        _ name: String, _ path: any WritableKeyPath<A, String?> & Sendable, limit: Int
    ) -> Self {
        Input { action, _, _ in
            [
                InputField(
                    name: name, label: Phrase("client-rules.\(name)"), kind: .text,
                    value: action[keyPath: path] ?? "", help: Phrase("client-rules.\(name)-help"), limit: limit)
            ]
        } read: { action, values, _ in
            action[keyPath: path] = values.text(name)
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

package import GatehouseStorage
import GatehouseWire

/// Replaces a rule by client, which keeps its id and, unless another one is given, its place.
package struct ChangeClientRule: ClientRuleForm {
    package static let about = OperatorActionAbout(
        "client-rule.changed", role: .operator, step: .confirmed, section: "launching", subject: .clientRules,
        undo: ChangeClientRule.self)
    package static let inputs: [Input<Self>] = [.earlier(\.earlier)] + Input.clientRule

    /// The rule as it will be. Its id names the one that it replaces.
    var rule = ClientRule(status: .requireUpdate)
    /// From 1; nil for the place that it has.
    var position: Int?
    /// The id of an earlier change, before which the rule was as the form offers it again.
    var earlier: String?

    package init(on target: DeedTarget) throws {}

    package init(_ rule: ClientRule, at position: Int? = nil) {
        self.rule = rule
        self.position = position
    }

    static func places(_ view: OperatorView) -> Int { view.view.app.clientRules.count }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        let current = try view.clientRule(rule.id)
        let shown = try view.clientRule(rule.id, before: earlier, in: tx) ?? current
        (rule, position) = (shown.rule, shown.position)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let current = try view.clientRule(rule.id)
        var rules = view.view.app.clientRules
        rules.remove(at: current.position - 1)
        let place = rules.put(rule, at: position ?? current.position)
        guard rule != current.rule || place != current.position else {
            throw InputProblems(["status": "problem.no-change"])
        }
        return try view.preview(ofRuleAt: place, in: rules, before: current.rule, in: tx)
    }

    package func perform(_ work: Work) async throws {
        try await work.changeClientRules(.clientRuleChanged) { rules, _, _ in
            let current = try rules.take(rule.id)
            rules.put(rule, at: position ?? current.position)
        }
    }
}

import GatehouseSecurity
package import GatehouseStorage
import GatehouseWire

/// Adds a rule by client, and returns its id.
package struct AddClientRule: ClientRuleForm {
    package static let about = OperatorActionAbout(
        "client-rule.added", role: .operator, step: .confirmed, section: "launching", subject: .clientRules,
        undo: RemoveClientRule.self)
    package static let inputs: [Input<Self>] = [.earlier(\.earlier)] + Input.clientRule

    /// Its id is the server's to choose. The form begins with the rule that had the given one before an earlier removal.
    var rule = ClientRule(status: .requireUpdate)
    /// Its place among the rules, from 1; nil for the last.
    var position: Int?
    var earlier: String?

    package init(on target: DeedTarget) throws {}

    package init(_ rule: ClientRule, at position: Int? = nil) {
        self.rule = rule
        self.position = position
    }

    static func places(_ view: OperatorView) -> Int { view.view.app.clientRules.count + 1 }

    package mutating func begin(_ view: OperatorView, in tx: Reader) throws {
        let last = Self.places(view)
        position = last
        guard let removed = try view.clientRule(rule.id, before: earlier, in: tx) else { return }
        rule = removed.rule
        position = min(removed.position, last)
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        var rules = view.view.app.clientRules
        guard rules.count < ClientRule.maximumCount else {
            throw InputProblems(["position": "problem.client-rule.full"])
        }
        let place = rules.put(rule, at: position)
        return try view.preview(ofRuleAt: place, in: rules, in: tx)
    }

    package func perform(_ work: Work) async throws -> String {
        try await work.changeClientRules(.clientRuleAdded) { rules, change, _ in
            guard rules.count < ClientRule.maximumCount else {
                throw Refusal.parameter("rule", "An app has at most \(ClientRule.maximumCount) rules by client.")
            }
            var rule = rule
            rule.id = TimeOrderedID.entry(at: change.moment, random: change.random)
            rules.put(rule, at: position)
            return rule.id
        }
    }
}

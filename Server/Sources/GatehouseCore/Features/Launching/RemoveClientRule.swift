package import GatehouseStorage
import GatehouseWire

/// Removes a rule by client.
package struct RemoveClientRule: OperatorAction {
    package static let about = OperatorActionAbout(
        "client-rule.removed", role: .operator, step: .confirmed, section: "launching", subject: .clientRules,
        undo: AddClientRule.self)
    package static let inputs: [Input<Self>] = [.clientRuleID(\.id)]

    var id = ""

    package init(on target: DeedTarget) throws {}

    package init(id: String) {
        self.id = id
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let rule = try view.clientRule(id).rule
        return Preview(
            "client-rules.remove-title", [rule.sentence("client-rules.remove-what"), "status.when"],
            undo: "client-rules.undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.changeClientRules(.clientRuleRemoved) { rules, _, _ in _ = try rules.take(id) }
    }
}

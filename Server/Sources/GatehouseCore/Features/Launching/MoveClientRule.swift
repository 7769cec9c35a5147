package import GatehouseStorage
import GatehouseWire

/// Puts a rule by client at another place among the rules, because the first that matches decides.
package struct MoveClientRule: OperatorAction {
    package static let about = OperatorActionAbout(
        "client-rule.moved", role: .operator, step: .confirmed, section: "launching", subject: .clientRules,
        undo: MoveClientRule.self)
    package static let inputs: [Input<Self>] = [.clientRuleID(\.id), .earlier(\.earlier), .place]

    var id = ""
    /// From 1.
    var position = 0
    /// The id of an earlier move, before which the rule had the place to which it goes back; nil for the place that is given.
    var earlier: String?

    package init(on target: DeedTarget) throws {}

    package init(id: String, to position: Int) {
        self.id = id
        self.position = position
    }

    package func preview(_ view: OperatorView, in tx: Reader) throws -> Preview {
        let current = try view.clientRule(id)
        let place = try place(view, in: tx)
        var rules = view.view.app.clientRules
        guard (1...rules.count).contains(place) else {
            let range = Phrase("problem.range", ["from": .count(1), "to": .count(rules.count)])
            throw ImpossibleAction(phrase: range, parameter: "to")
        }
        guard place != current.position else {
            throw ImpossibleAction(phrase: "problem.no-change", parameter: "to")
        }
        rules.remove(at: current.position - 1)
        rules.put(current.rule, at: place)
        var preview = Preview(
            Phrase("client-rules.move-title", ["from": .count(current.position), "to": .count(place)]),
            ["client-rules.first-decides", "status.when"], undo: "client-rules.undo")
        preview.table = view.table(of: rules, "client-rules.new-order")
        return preview
    }

    private func place(_ view: OperatorView, in tx: Reader) throws -> Int {
        try view.clientRule(id, before: earlier, in: tx)?.position ?? position
    }

    package func perform(_ work: Work) async throws {
        let view = OperatorView(of: work)
        try await work.changeClientRules(.clientRuleMoved) { rules, _, tx in
            let place = try place(view, in: tx)
            rules.put(try rules.take(id).rule, at: place)
        }
    }
}

extension Input<MoveClientRule> {
    fileprivate static var place: Self {
        Input { action, values, _ in action.position = values.text("to").flatMap { Int($0) } ?? 0 }
    }
}

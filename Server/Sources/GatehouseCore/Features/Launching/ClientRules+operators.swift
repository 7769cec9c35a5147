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

    package init(on target: ActionTarget) throws {}

    package init(_ rule: ClientRule, at position: Int? = nil) {
        self.rule = rule
        self.position = position
    }

    static func places(_ context: OperatorContext) -> Int { context.app.clientRules.count + 1 }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let last = Self.places(context)
        position = last
        guard let removed = try context.clientRule(rule.id, before: earlier, in: tx) else { return }
        rule = removed.rule
        position = min(removed.position, last)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        var rules = context.app.clientRules
        guard rules.count < ClientRule.maximumCount else {
            throw InputProblems(["position": "problem.client-rule.full"])
        }
        let place = rules.put(rule, at: position)
        return try context.preview(ofRuleAt: place, in: rules, in: tx)
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

    package init(on target: ActionTarget) throws {}

    package init(_ rule: ClientRule, at position: Int? = nil) {
        self.rule = rule
        self.position = position
    }

    static func places(_ context: OperatorContext) -> Int { context.app.clientRules.count }

    package mutating func begin(_ context: OperatorContext, in tx: Reader) throws {
        let current = try context.clientRule(rule.id)
        let shown = try context.clientRule(rule.id, before: earlier, in: tx) ?? current
        (rule, position) = (shown.rule, shown.position)
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let current = try context.clientRule(rule.id)
        var rules = context.app.clientRules
        rules.remove(at: current.position - 1)
        let place = rules.put(rule, at: position ?? current.position)
        guard rule != current.rule || place != current.position else {
            throw InputProblems(["status": "problem.no-change"])
        }
        return try context.preview(ofRuleAt: place, in: rules, before: current.rule, in: tx)
    }

    package func perform(_ work: Work) async throws {
        try await work.changeClientRules(.clientRuleChanged) { rules, _, _ in
            let current = try rules.take(rule.id)
            rules.put(rule, at: position ?? current.position)
        }
    }
}

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

    package init(on target: ActionTarget) throws {}

    package init(id: String, to position: Int) {
        self.id = id
        self.position = position
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let current = try context.clientRule(id)
        let place = try place(context, in: tx)
        var rules = context.app.clientRules
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
        preview.table = context.table(of: rules, "client-rules.new-order")
        return preview
    }

    private func place(_ context: OperatorContext, in tx: Reader) throws -> Int {
        try context.clientRule(id, before: earlier, in: tx)?.position ?? position
    }

    package func perform(_ work: Work) async throws {
        let context = OperatorContext(of: work)
        try await work.changeClientRules(.clientRuleMoved) { rules, _, tx in
            let place = try place(context, in: tx)
            rules.put(try rules.take(id).rule, at: place)
        }
    }
}

extension Input<MoveClientRule> {
    fileprivate static var place: Self {
        Input { action, values, _ in action.position = values.text("to").flatMap { Int($0) } ?? 0 }
    }
}

/// Removes a rule by client.
package struct RemoveClientRule: OperatorAction {
    package static let about = OperatorActionAbout(
        "client-rule.removed", role: .operator, step: .confirmed, section: "launching", subject: .clientRules,
        undo: AddClientRule.self)
    package static let inputs: [Input<Self>] = [.clientRuleID(\.id)]

    var id = ""

    package init(on target: ActionTarget) throws {}

    package init(id: String) {
        self.id = id
    }

    package func preview(_ context: OperatorContext, in tx: Reader) throws -> Preview {
        let rule = try context.clientRule(id).rule
        return Preview(
            "client-rules.remove-title", [rule.sentence("client-rules.remove-what"), "status.when"],
            undo: "client-rules.undo")
    }

    package func perform(_ work: Work) async throws {
        try await work.changeClientRules(.clientRuleRemoved) { rules, _, _ in _ = try rules.take(id) }
    }
}

extension Work {
    /// Changes an app's rules under its lock. A change without effect is not recorded.
    func changeClientRules<Value: Sendable>(
        _ event: AppEvent,
        _ body: @escaping @Sendable (inout [ClientRule], Change, Transaction) throws -> Value
    ) async throws -> Value {
        try await transact { change, tx in
            let app = change.app.id
            try AppRules.lock(app, in: tx)
            let before = try ClientRuleQueries.rules(of: app, in: tx)
            var after = before
            let value = try body(&after, change, tx)
            guard after != before else { return value }
            for rule in before where !after.contains(where: { $0.id == rule.id }) {
                _ = try ClientRuleQueries.delete(rule.id, app: app, in: tx)
            }
            for (index, rule) in after.enumerated() {
                if let problem = rule.problems.first { throw problem.refusal }
                try ClientRuleQueries.set(rule, at: index + 1, app: app, in: tx)
            }
            try change.record(event, in: tx)
            return value
        }
    }
}

extension [ClientRule] {
    /// Removes a rule, and returns it with its place from 1.
    mutating func take(_ id: String) throws -> (rule: ClientRule, position: Int) {
        guard let index = firstIndex(where: { $0.id == id }) else {
            throw Refusal.parameter("rule", "The app has no rule with this id.")
        }
        return (remove(at: index), index + 1)
    }

    /// Inserts a rule, and returns its place from 1.
    ///
    /// - Parameter position: the place that it should have, or the nearest that there is; nil for the last.
    @discardableResult
    mutating func put(_ rule: ClientRule, at position: Int?) -> Int {
        let index = position.map { Swift.max(0, Swift.min($0 - 1, count)) } ?? count
        insert(rule, at: index)
        return index + 1
    }
}

extension ClientRule.Problem {
    /// The refusal of a rule that can't be used.
    fileprivate var refusal: Refusal {
        switch self {
        case .noCondition:
            .parameter("rule", "A rule names a system, a store or versions. What everyone gets is the app's status.")
        case .os: .parameter("os", "A system is named by its code in capitals, such as IOS.")
        case .store: .parameter("store", "A store is named by its code in capitals, such as AS.")
        case .from: .parameter("from", "A version is numbers with dots between them, such as 1.9.9.")
        case .below: .parameter("below", "A version is numbers with dots between them, such as 2.0.0.")
        case .order: .parameter("below", "The versions of a rule end after they begin.")
        case .status:
            .parameter("status", "A rule's status is 200, 201, 203, 204, 205, 300 or 302.")
        case .updateURL:
            .parameter("url", "An address begins with its scheme, such as https://, and has at most 1024 letters.")
        case .message: .parameter("message", "A text belongs to a language tag such as en, and has at most 4000 bytes.")
        }
    }

    /// The field of a form at which it is said, and what the key of its text ends with.
    var place: (field: String, key: String) {
        switch self {
        case .noCondition: ("os", "no-condition")
        case .os: ("os", "code")
        case .store: ("store", "code")
        case .from: ("from", "version")
        case .below: ("below", "version")
        case .order: ("below", "order")
        case .status: ("status", "status")
        case .updateURL: ("url", "address")
        case .message: ("message.en", "message")
        }
    }
}

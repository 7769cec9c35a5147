import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

/// Adds a rule by client, and returns its id.
package struct AddClientRule: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// Its id is the server's to choose.
    let rule: ClientRule
    /// Its place among the rules, from 1; nil for the last.
    let position: Int?

    package init(_ rule: ClientRule, at position: Int? = nil) {
        self.rule = rule
        self.position = position
    }

    package func perform(_ work: Work) async throws -> String {
        try await work.changeClientRules { rules, change in
            guard rules.count < ClientRule.maximumCount else {
                throw Refusal.parameter("rule", "An app has at most \(ClientRule.maximumCount) rules by client.")
            }
            var rule = rule
            rule.id = TimeOrderedID.entry(at: change.moment, random: change.random)
            rules.insert(rule, at: position.map { max(0, min($0 - 1, rules.count)) } ?? rules.count)
            return rule.id
        }
    }
}

/// Replaces a rule by client, which keeps its id and, unless another one is given, its place.
package struct ChangeClientRule: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// The rule as it will be. Its id names the one that it replaces.
    let rule: ClientRule
    let position: Int?

    package init(_ rule: ClientRule, at position: Int? = nil) {
        self.rule = rule
        self.position = position
    }

    package func perform(_ work: Work) async throws {
        try await work.changeClientRules { rules, _ in
            let index = try rules.index(of: rule.id)
            rules.remove(at: index)
            rules.insert(rule, at: position.map { max(0, min($0 - 1, rules.count)) } ?? index)
        }
    }
}

/// Removes a rule by client.
package struct RemoveClientRule: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let id: String

    package init(id: String) {
        self.id = id
    }

    package func perform(_ work: Work) async throws {
        try await work.changeClientRules { rules, _ in _ = rules.remove(at: try rules.index(of: id)) }
    }
}

/// Puts a rule by client at another place among the rules, because the first that matches decides.
package struct MoveClientRule: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    let id: String
    /// From 1.
    let position: Int

    package init(id: String, to position: Int) {
        self.id = id
        self.position = position
    }

    package func perform(_ work: Work) async throws {
        try await work.changeClientRules { rules, _ in
            let rule = rules.remove(at: try rules.index(of: id))
            rules.insert(rule, at: max(0, min(position - 1, rules.count)))
        }
    }
}

extension Work {
    /// Changes an app's rules under its lock. A change without effect is not recorded.
    fileprivate func changeClientRules<Value: Sendable>(
        _ body: @escaping @Sendable (inout [ClientRule], Change) throws -> Value
    ) async throws -> Value {
        try await transact { change, tx in
            let app = change.app.id
            try AppRules.lock(app, in: tx)
            let before = try ClientRuleQueries.rules(of: app, in: tx)
            var after = before
            let value = try body(&after, change)
            guard after != before else { return value }
            for rule in before where !after.contains(where: { $0.id == rule.id }) {
                _ = try ClientRuleQueries.delete(rule.id, app: app, in: tx)
            }
            for (index, rule) in after.enumerated() {
                if let problem = rule.problems.first { throw problem.refusal }
                try ClientRuleQueries.set(rule, at: index + 1, app: app, in: tx)
            }
            try change.record(.clientRulesSet, in: tx)
            return value
        }
    }
}

extension [ClientRule] {
    fileprivate func index(of id: String) throws -> Int {
        guard let index = firstIndex(where: { $0.id == id }) else {
            throw Refusal.parameter("rule", "The app has no rule with this id.")
        }
        return index
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
}

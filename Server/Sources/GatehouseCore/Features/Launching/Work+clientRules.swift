import GatehouseSecurity
import GatehouseStorage
import GatehouseWire

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

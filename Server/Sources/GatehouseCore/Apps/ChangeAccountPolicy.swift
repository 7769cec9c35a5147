import GatehouseSecurity

/// Changes the policy of an app's accounts, and returns the new one.
package struct ChangeAccountPolicy: Action {
    package static let permission = Permission.administer
    package static let role = OperatorRole.operator

    /// The language of messages that are not available in the player's; nil to leave it as it is.
    let defaultLanguage: String?
    let change: @Sendable (inout AccountPolicy) throws -> Void

    package init(
        defaultLanguage: String? = nil, change: @escaping @Sendable (inout AccountPolicy) throws -> Void
    ) {
        self.defaultLanguage = defaultLanguage
        self.change = change
    }

    package var audited: AuditedRun? { AuditedRun(on: .app) }

    package func perform(_ work: Work) async throws -> AccountPolicy {
        try await work.changeApp(as: Self.event) { app, _ in
            if let defaultLanguage { app.defaultLanguage = defaultLanguage }
            try change(&app.policy)
        }.policy
    }

    /// The transfer policy has a form of its own.
    @Sendable private static func event(_ before: App, _ after: App) -> AppEvent {
        var rest = after
        (rest.policy.transfer, rest.policy.transferKeys) = (before.policy.transfer, before.policy.transferKeys)
        return rest == before ? .transferPolicySet : .policySet
    }
}

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

    package func perform(_ work: Work) async throws -> AccountPolicy {
        try await work.changeApp(.policySet) { app, _ in
            if let defaultLanguage { app.defaultLanguage = defaultLanguage }
            try change(&app.policy)
        }.policy
    }
}

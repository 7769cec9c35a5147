import GatehouseCore
import GatehouseSecurity
import GatehouseWire

// The people who use the console. Roles are given by app, where `*` means every app and the server itself.
extension Administration {
    /// Creates an operator, and returns the secret of the invitation's link, which is returned only here.
    ///
    /// - Parameter grants: roles by app.
    /// - Throws: 3 for a name or a role that is none, or a name that is taken.
    public func createOperator(_ name: String, grants: [String: String]) async throws -> String {
        try await run(InviteOperator(name: name, grants: try await self.grants(grants))).text
    }

    /// Returns the secret of a new link for an operator, whose sessions and former links end.
    public func inviteOperator(_ name: String) async throws -> String {
        try await run(InviteOperator(name: name, grants: nil)).text
    }

    public func grantOperator(_ name: String, grants: [String: String]) async throws {
        try await run(GrantOperator(name: name, grants: try await self.grants(grants)))
    }

    public func setOperator(_ name: String, isDisabled: Bool) async throws {
        try await run(DisableOperator(name: name, isDisabled: isDisabled))
    }

    /// Each operator's name, roles by app, and state.
    public func operators() async throws -> [(name: String, roles: String, state: String)] {
        try await run(ListOperators()).map { person in
            let roles = person.grants.map { "\($0.key.text):\($0.value.rawValue)" }.sorted().joined(separator: " ")
            return (person.name, roles, person.isDisabled ? "disabled" : person.isEnrolled ? "active" : "invited")
        }
    }

    private func grants(_ texts: [String: String]) async throws -> [GrantScope: OperatorRole] {
        var grants: [GrantScope: OperatorRole] = [:]
        for (app, text) in texts {
            guard let role = OperatorRole(rawValue: text) else {
                throw Refusal.parameter("role", "A role is viewer, support, operator or owner.")
            }
            let scope = GrantScope(app)
            if case .app(let id) = scope, try await !hasApp(id) {
                throw Refusal.parameter("app", "There is no app of this id.")
            }
            grants[scope] = role
        }
        return grants
    }
}
